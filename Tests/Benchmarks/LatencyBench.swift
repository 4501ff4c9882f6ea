// SPDX-License-Identifier: Apache-2.0

import Positioning
import ReceiverSimulator
import Receivers

/// The time from passing the last byte of an epoch to the decoder until the fix is delivered.
///
/// The epochs of a simulated receiver have simulated arrival times (a sentence every 5 ms, an epoch
/// per second), so that the decoder learns which sentence ends an epoch.
enum LatencyBench {
  static func run(epochs count: Int) {
    let start = UTCTime(secondsSince1970: 1_795_000_000)
    guard var receiver = try? SimulatedReceiver(SimulatedReceiver.Configuration(start: start))
    else { return print("cannot start the simulator") }
    let clock = ContinuousClock()
    var decoder = NMEADecoder(source: "bench", pace: .live)
    var nanoseconds: [Int64] = []
    for second in 0..<count {
      let sentences = receiver.nextEpoch().bytes.split(
        separator: 0x0A, omittingEmptySubsequences: true
      ).map { Array($0) + [0x0A] }
      var now = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
      for sentence in sentences.dropLast() {
        now = now.advanced(byNanoseconds: 5_000_000)
        decoder.decode(sentence.span, receivedAt: now) { _ in }
      }
      guard let last = sentences.last else { continue }
      // The last chunk is the last digit of the checksum and the line ending; no fix can be
      // completed earlier.
      let splitIndex = last.count - 3
      now = now.advanced(byNanoseconds: 5_000_000)
      decoder.decode(last.span.extracting(0..<splitIndex), receivedAt: now) { _ in }
      var delivered: ContinuousClock.Instant?
      let begin = clock.now
      decoder.decode(last.span.extracting(splitIndex..<last.count), receivedAt: now) { event in
        if case .fix = event { delivered = clock.now }
      }
      guard let delivered else { continue }
      nanoseconds.append(begin.duration(to: delivered).components.attoseconds / 1_000_000_000)
    }
    guard !nanoseconds.isEmpty else { return print("no fix at the last byte of an epoch") }
    nanoseconds.sort()
    print(
      "\(nanoseconds.count) of \(count) epochs at their last byte:",
      "median \(nanoseconds[nanoseconds.count / 2]) ns,",
      "p99 \(nanoseconds[nanoseconds.count * 99 / 100]) ns")
  }
}
