// SPDX-License-Identifier: Apache-2.0

import Positioning
import ReceiverSimulator
import SystemSupport
import Testing

@testable import Receivers

@Suite("Forwarding the sentences of a receiver")
struct SentenceForwarderTests {
  private typealias Forwarder = SentenceForwarder<NMEADecoder>

  private static func epoch(_ second: Int) -> [UInt8] {
    let time = "12000\(second).00"
    return line("GPGGA,\(time),5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,")
      + line("GPGSA,A,3,07,,,,,,,,,,,,1.83,1.03,1.47") + line("PUBX,99,any")
      + line("GPRMC,\(time),A,5321.6802,N,00630.3372,W,1.0,90.0,231126,,,A")
  }

  private static func forwarder(_ demand: SentenceDemand?) -> Forwarder {
    Forwarder(NMEADecoder(source: "a", pace: .recorded), source: "a", demand: demand)
  }

  private static func decode(
    _ bytes: [UInt8], with forwarder: inout Forwarder
  ) -> [FixSourceEvent] {
    var events: [FixSourceEvent] = []
    forwarder.decode(bytes.span, receivedAt: nil) { events.append($0) }
    return events
  }

  private static func finish(_ forwarder: inout Forwarder) -> [FixSourceEvent] {
    var events: [FixSourceEvent] = []
    forwarder.finish { events.append($0) }
    return events
  }

  @Test func `without a consumer no sentences are delivered, and the fixes are the same`() {
    let bytes = (0..<4).flatMap(Self.epoch)
    for demand in [nil, SentenceDemand()] {
      var forwarder = Self.forwarder(demand)
      let events = Self.decode(bytes, with: &forwarder) + Self.finish(&forwarder)
      #expect(events.map(\.kind) == ["fix 3", "fix 3", "fix 3", "fix 3"])
    }
  }

  @Test(arguments: [1, 7, 82, 100_000])
  func `the sentences of complete epochs precede their fixes, unchanged and however the bytes arrive`(chunkSize: Int) {
    let demand = SentenceDemand()
    demand.isPresent = true
    var forwarder = Self.forwarder(demand)
    let bytes = (0..<5).flatMap(Self.epoch)
    var events: [FixSourceEvent] = []
    for start in stride(from: 0, to: bytes.count, by: chunkSize) {
      let chunk = Array(bytes[start..<min(start + chunkSize, bytes.count)])
      events += Self.decode(chunk, with: &forwarder)
    }
    events += Self.finish(&forwarder)
    // Sentences of the first epoch may be missing.
    #expect(
      events.map(\.kind)
        == ["fix 3"] + Array(repeating: ["sentences a", "fix 3"], count: 4).flatMap { $0 })
    // Each epoch is completed by the first sentence of the next epoch.
    let forwarded = events.compactMap(\.sentences).flatMap { $0 }
    #expect(forwarded == Array(bytes.dropFirst(Self.epoch(0).count + Self.firstLineLength)))
    #expect(forwarder.counters.sentences == 20)
    #expect(forwarder.counters.bytes == UInt64(bytes.count))
  }

  private static let firstLineLength = (epoch(0).firstIndex(of: 0x0A) ?? 0) + 1

  @Test func `broken lines and binary data are not forwarded, and lines end with CR LF`() {
    let demand = SentenceDemand()
    demand.isPresent = true
    var forwarder = Self.forwarder(demand)
    var bytes = Self.epoch(0)
    bytes += Self.epoch(1) + Array("$GPTXT,broken*00\r\n\u{1}\u{2}noise\n$GPTXT,short\n".utf8)
    let text = line("GPTXT,01,01,02,HELLO")
    bytes += text.dropLast(2) + [0x0A] + Self.epoch(2)
    let events = Self.decode(bytes, with: &forwarder) + Self.finish(&forwarder)
    let forwarded = events.compactMap(\.sentences).flatMap { $0 }
    #expect(
      forwarded
        == Array((Self.epoch(1) + text + Self.epoch(2)).dropFirst(Self.firstLineLength)))
  }

  @Test func `sentences stop at once when the consumer leaves, and start again with a whole epoch`() {
    let demand = SentenceDemand()
    demand.isPresent = true
    var forwarder = Self.forwarder(demand)
    _ = Self.decode(Self.epoch(0) + Self.epoch(1), with: &forwarder)
    demand.isPresent = false
    #expect(Self.decode(Self.epoch(2), with: &forwarder).map(\.kind) == ["fix 3"])
    demand.isPresent = true
    #expect(Self.decode(Self.epoch(3), with: &forwarder).map(\.kind) == ["fix 3"])
    #expect(Self.decode(Self.epoch(4), with: &forwarder).map(\.kind) == ["sentences a", "fix 3"])
  }

  @Test func `sentences without fixes are delivered in bounded portions`() {
    let demand = SentenceDemand()
    demand.isPresent = true
    var forwarder = Self.forwarder(demand)
    _ = Self.decode(Self.epoch(0) + Self.epoch(1), with: &forwarder)
    let text = (0..<1000).flatMap { _ in line("GPTXT,01,01,02,HELLO") }
    let portions = Self.decode(text, with: &forwarder).compactMap(\.sentences)
    #expect(portions.count >= 2)
    #expect(portions.allSatisfy { $0.count < Forwarder.maxEpochBytes + 1024 })
  }

  @Test func `a simulated receiver's sentences reach the consumer byte for byte`() throws {
    var receiver = try SimulatedReceiver(.init(start: UTCTime(secondsSince1970: 1_795_435_200)))
    let epochs = (0..<10).map { _ in receiver.nextEpoch().bytes }
    let demand = SentenceDemand()
    demand.isPresent = true
    var forwarder = Self.forwarder(demand)
    let events = Self.decode(epochs.flatMap { $0 }, with: &forwarder) + Self.finish(&forwarder)
    let forwarded = events.compactMap(\.sentences).flatMap { $0 }
    let all = epochs.flatMap { $0 }
    #expect(forwarded.count > epochs[0].count * 8)
    #expect(forwarded == Array(all.suffix(forwarded.count)))
  }
}
