// SPDX-License-Identifier: Apache-2.0

import Positioning
import Receivers
import Testing

/// Returns a sentence with its checksum and line ending.
func line(_ body: String) -> [UInt8] {
  let sum = body.utf8.reduce(0, ^)
  let digits = String(sum, radix: 16, uppercase: true)
  return Array("$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n".utf8)
}

/// Returns a log that begins with `#`, with its CRC and line ending.
func log(_ body: String) -> [UInt8] {
  var crc: UInt32 = 0
  for byte in body.utf8 {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
  }
  let digits = String(crc, radix: 16)
  return Array("#\(body)*\(String(repeating: "0", count: 8 - digits.count))\(digits)\r\n".utf8)
}

/// Feeds sentences to a decoder and collects the events.
struct DecoderFixture {
  var decoder: NMEADecoder
  private(set) var fixes: [Fix] = []
  private(set) var skies: [SkyView] = []
  private(set) var readings: [InstrumentReading] = []
  private(set) var messages: [ReceiverMessage] = []
  /// The simulated time, in nanoseconds.
  private(set) var now: Int64 = 0

  init(_ pace: NMEADecoder.Pace = .recorded, trustedDate: UTCDate? = nil, survey: RecordingSurvey? = nil) {
    decoder = NMEADecoder(source: "test", pace: pace, trustedDate: trustedDate, survey: survey)
  }

  /// Sends sentences at an interval in milliseconds.
  mutating func send(_ bodies: [String], everyMilliseconds step: Int64 = 5) {
    for body in bodies { send(bytes: line(body), afterMilliseconds: step) }
  }

  /// Sends bytes after an interval in milliseconds.
  mutating func send(bytes: [UInt8], afterMilliseconds step: Int64 = 5) {
    now += step * 1_000_000
    var events: [FixSourceEvent] = []
    decoder.decode(bytes.span, receivedAt: MonotonicTime(nanoseconds: now)) { events.append($0) }
    collect(events)
  }

  mutating func send(_ bodies: String...) { send(bodies) }

  /// Advances the time, and completes the open epoch at the silence deadline.
  mutating func pause(milliseconds: Int64) {
    let end = now + milliseconds * 1_000_000
    if let deadline = decoder.silenceDeadline, deadline.nanoseconds <= end {
      var events: [FixSourceEvent] = []
      decoder.completeOnSilence(at: deadline) { events.append($0) }
      collect(events)
    }
    now = end
  }

  mutating func finish() {
    var events: [FixSourceEvent] = []
    decoder.finish { events.append($0) }
    collect(events)
  }

  private mutating func collect(_ events: [FixSourceEvent]) {
    for event in events {
      switch event {
      case .fix(let fix): fixes.append(fix)
      case .sky(let sky): skies.append(sky)
      case .instruments(let reading): readings.append(reading)
      case .message(let message): messages.append(message)
      case .sentences, .connected, .receiver, .lost:
        Issue.record("unexpected event of a decoder: \(event)")
      }
    }
  }
}

/// Returns the date and time of a fix as readable text.
func stamp(_ fix: Fix) -> String {
  guard let time = fix.time else { return "no time" }
  let day = time.date.civil
  let clock = time.timeOfDay
  return "\(day.year)-\(day.month)-\(day.day) \(clock.hour):\(clock.minute):\(clock.second)"
}

/// Returns the time and the mode of each fix.
func outline(_ fixes: [Fix]) -> [String] {
  fixes.map { "\(stamp($0)) \($0.mode.rawValue)" }
}

extension DecoderFixture {
  /// The fixes that a program receives from the receiver.
  var deliveredFixes: [Fix] {
    var selector = SourceSelector()
    return fixes.flatMap { fix in
      selector.take(fix, from: "a", at: fix.receivedAt ?? MonotonicTime(nanoseconds: 0))
    }.compactMap { if case .deliver(let fix) = $0 { fix } else { nil } }
  }
}
