// SPDX-License-Identifier: Apache-2.0

import Positioning
import ReceiverSimulator
import Receivers
import Testing

/// Timing of bytes on a simulated serial line.
@Suite struct LinePacerTests {
  @Test(arguments: [300, 4800, 9600, 115_200, 921_600])
  func `each byte on the simulated line takes the time of ten bits`(baud: Int) throws {
    var pacer = try LinePacer(baud: baud)
    let chunks = pacer.schedule(count: 480, at: 1_000)
    #expect(chunks.first?.range.lowerBound == 0)
    #expect(chunks.last?.range.upperBound == 480)
    for (a, b) in zip(chunks, chunks.dropFirst()) {
      #expect(a.range.upperBound == b.range.lowerBound)
    }
    for chunk in chunks {
      let bits = Int64(chunk.range.upperBound) * 10
      #expect(chunk.doneNanoseconds == 1_000 + bits * 1_000_000_000 / Int64(baud))
    }
  }

  @Test func `a line pacer schedules bytes after all previous bytes`() throws {
    var pacer = try LinePacer(baud: 9600)
    let first = pacer.schedule(count: 96, at: 0)
    let second = pacer.schedule(count: 96, at: 50_000_000)
    #expect(first.last?.doneNanoseconds == 100_000_000)
    #expect(second.last?.doneNanoseconds == 200_000_000)
    let late = pacer.schedule(count: 96, at: 900_000_000)
    #expect(late.last?.doneNanoseconds == 1_000_000_000)
  }

  @Test func `a line pacer that is more than a second late drops and counts bursts`() throws {
    var pacer = try LinePacer(baud: 300)
    #expect(!pacer.schedule(count: 40, at: 0).isEmpty)
    #expect(pacer.schedule(count: 40, at: 0).isEmpty)
    #expect(pacer.droppedBursts == 1)
    #expect(!pacer.schedule(count: 40, at: 1_000_000_000).isEmpty)
  }

  @Test func `the error for a line that is too slow contains the needed and available rates`() throws {
    var configuration = SimulatedReceiver.Configuration(
      start: .init(secondsSince1970: 1_795_305_570))
    configuration.rateHertz = 25
    let needed = try SimulatedReceiver(configuration).busiestSecondByteCount
    #expect(needed > 10_000)
    let error = LinePacerError.tooSlow(
      baud: 4800, neededBytesPerSecond: needed, availableBytesPerSecond: 480)
    #expect(throws: error) {
      try LinePacer(baud: 4800).requireCapacity(bytesPerSecond: needed)
    }
    #expect(error.description.contains("\(needed) bytes/s, and 4800 baud carry 480;"))
    try LinePacer(baud: 230_400).requireCapacity(bytesPerSecond: needed)
  }

  @Test(arguments: [Int.min, 0, 299, 4_000_001, .max])
  func `a line pacer rejects an unsupported baud rate`(baud: Int) {
    #expect(throws: LinePacerError.speed(baud: baud)) { try LinePacer(baud: baud) }
  }

  @Test func `extreme byte counts and times cause no overflow in the pacing`() throws {
    var pacer = try LinePacer(baud: 300)
    #expect(pacer.schedule(count: 0, at: .max).isEmpty)
    #expect(pacer.schedule(count: -5, at: .min).isEmpty)
    _ = pacer.schedule(count: 10, at: .max)
    _ = pacer.schedule(count: 10, at: .min)
  }
}
