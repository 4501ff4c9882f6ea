// SPDX-License-Identifier: Apache-2.0

import Positioning
import ReceiverSimulator
import Receivers

/// A simulated receiver on two serial lines, with the same bytes at the same speed.
///
/// A pseudo-terminal has only one reader, so each process has its own line. One line is half a
/// period later than the other, so that the two processes do not work at the same time. The
/// latencies of the earlier and the later line differ by up to 0.1 ms, so the caller should swap
/// the order after half of the epochs.
struct TwinLines {
  static let rateHertz = 10
  static let baud = 115_200

  let first: PseudoTerminal
  let second: PseudoTerminal
  /// Whether each epoch is sent on the second line before the first line.
  var isSecondAhead = false
  /// The pipe to a complete program; `nil` without such a program.
  let pipe: FeedPipe?

  /// The times just before the write(2) with the last byte of each epoch on the first line,
  /// by epoch time in milliseconds.
  private(set) var firstEnds: [Int64: Int64] = [:]
  /// The times just before the write(2) with the last byte of each epoch on the second line,
  /// by epoch time in milliseconds.
  private(set) var secondEnds: [Int64: Int64] = [:]
  /// The durations of the write(2) calls with the last byte of each epoch, on both lines.
  private(set) var writeNanoseconds: [Int64] = []

  private var receiver: SimulatedReceiver
  private var startNanoseconds: Int64
  private var pacer: LinePacer

  init(startingAt time: UTCTime, pipe: FeedPipe?) throws {
    // gpsd drops root privileges and may have to open the line again.
    first = try PseudoTerminal(permissions: 0o666)
    second = try PseudoTerminal(permissions: 0o666)
    self.pipe = pipe
    var configuration = SimulatedReceiver.Configuration(start: time)
    configuration.rateHertz = Self.rateHertz
    // The simulator sends RMC last. RMC completes the epoch for both programs.
    configuration.sentences = [.gga, .gsa, .rmc]
    receiver = try SimulatedReceiver(configuration)
    pacer = try LinePacer(baud: Self.baud)
    startNanoseconds = MonotonicClock.nanoseconds() + 100_000_000
  }

  /// Sends one epoch on both lines and then into the pipe; returns the epoch time in milliseconds.
  mutating func sendEpoch() -> Int64 {
    let epoch = receiver.nextEpoch()
    let key = epoch.time.milliseconds
    let begin = startNanoseconds + epoch.nanosecondsSinceStart
    let halfPeriod = receiver.periodNanoseconds / 2
    let chunks = pacer.schedule(count: epoch.bytes.count, at: begin)
    if isSecondAhead {
      secondEnds[key] = send(epoch.bytes, chunks, later: 0, on: second)
      firstEnds[key] = send(epoch.bytes, chunks, later: halfPeriod, on: first)
    } else {
      firstEnds[key] = send(epoch.bytes, chunks, later: 0, on: first)
      secondEnds[key] = send(epoch.bytes, chunks, later: halfPeriod, on: second)
    }
    if let pipe {
      // The chunks are the same as on a line, but are written faster, to finish before the next
      // epoch.
      for chunk in chunks {
        pipe.write(epoch.bytes[chunk.range])
        MonotonicClock.sleep(untilNanoseconds: MonotonicClock.nanoseconds() + 200_000)
      }
    }
    // Discards gpsd's probes.
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
