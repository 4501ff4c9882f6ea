// SPDX-License-Identifier: Apache-2.0

import Positioning
import ReceiverSimulator
import Receivers

/// One simulated receiver on two serial lines: the same bytes at the same pace.
///
/// What one reader of a pseudo-terminal reads no other gets, so each has its own. One line is
/// half a period behind the other: whoever's epoch ends has the machine to itself. To be ahead
/// makes a difference (up to 0.1 ms), so each line should be for as long as the other.
struct TwinLines {
  static let rateHertz = 10
  static let baud = 115_200

  let first: PseudoTerminal
  let second: PseudoTerminal
  /// Which line is ahead.
  var isSecondAhead = false
  /// Where a whole program reads, which is no line.
  let pipe: FeedPipe?

  /// When the write(2) with the last byte of an epoch was made: just before, by its milliseconds.
  private(set) var firstEnds: [Int64: Int64] = [:]
  private(set) var secondEnds: [Int64: Int64] = [:]
  /// How long those writes took.
  private(set) var writeNanoseconds: [Int64] = []

  private var receiver: SimulatedReceiver
  private var startNanoseconds: Int64
  private var pacer: LinePacer

  init(startingAt time: UTCTime, pipe: FeedPipe?) throws {
    // gpsd gives up root and may have to open it again.
    first = try PseudoTerminal(permissions: 0o666)
    second = try PseudoTerminal(permissions: 0o666)
    self.pipe = pipe
    var configuration = SimulatedReceiver.Configuration(start: time)
    configuration.rateHertz = Self.rateHertz
    // In this order, and so both know an epoch by its RMC.
    configuration.sentences = [.gga, .gsa, .rmc]
    receiver = try SimulatedReceiver(configuration)
    pacer = try LinePacer(baud: Self.baud)
    startNanoseconds = MonotonicClock.nanoseconds() + 100_000_000
  }

  /// Sends one epoch on both lines, and into the pipe after that; its milliseconds.
  mutating func sendEpoch() -> Int64 {
    let epoch = receiver.nextEpoch()
    let key = epoch.time.milliseconds
    let begin = startNanoseconds + epoch.nanosecondsSinceStart
    let half = receiver.periodNanoseconds / 2
    let chunks = pacer.schedule(count: epoch.bytes.count, at: begin)
    if isSecondAhead {
      secondEnds[key] = send(epoch.bytes, chunks, later: 0, on: second)
      firstEnds[key] = send(epoch.bytes, chunks, later: half, on: first)
    } else {
      firstEnds[key] = send(epoch.bytes, chunks, later: 0, on: first)
      secondEnds[key] = send(epoch.bytes, chunks, later: half, on: second)
    }
    if let pipe {
      // As many pieces as on a line, and quickly: the next epoch is near.
      for chunk in chunks {
        pipe.write(epoch.bytes[chunk.range])
        MonotonicClock.sleep(untilNanoseconds: MonotonicClock.nanoseconds() + 200_000)
      }
    }
    // gpsd asks the receiver what it is.
    first.drainInput()
    second.drainInput()
    return key
  }

  private mutating func send(
    _ bytes: [UInt8], _ chunks: [LinePacer.Chunk], later: Int64, on line: PseudoTerminal
  ) -> Int64 {
    var before: Int64 = 0
    var after: Int64 = 0
    for chunk in chunks {
      MonotonicClock.sleep(untilNanoseconds: chunk.doneNanoseconds + later)
      let part = Array(bytes[chunk.range])
      before = MonotonicClock.nanoseconds()
      line.write(part)
      after = MonotonicClock.nanoseconds()
    }
    writeNanoseconds.append(after - before)
    return before
  }
}
