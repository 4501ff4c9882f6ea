// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import MQTTClient
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("MQTT session")
struct MQTTSessionTests {
  private static func session(_ limits: MQTTSession.Limits = .init()) -> MQTTSession {
    MQTTSession(availability: "a", limits: limits, now: .at(0), generator: SeededGenerator(seed: 1))
  }

  private static func message(_ topic: String, _ text: String) -> MQTTMessage {
    MQTTMessage(topic: topic, payload: Array(text.utf8))
  }

  /// Returns a connected session that has no kept positions.
  private static func connected(_ limits: MQTTSession.Limits = .init()) -> MQTTSession {
    var session = session(limits)
    #expect(session.next(now: .at(0)) == .connect)
    session.connected(now: .at(0))
    #expect(session.next(now: .at(0)) == .publish(message("a", "online"), 1))
    session.acknowledged(1)
    if case .publishKept(after: 0, let ticket) = session.next(now: .at(0)) {
      session.published(kept: nil, ticket, now: .at(0))
    }
    return session
  }

  @Test func `the availability and the newest state of each topic come before kept positions`() {
    var session = Self.session()
    session.publish(Self.message("p", "1"), now: .at(0))
    session.publish(Self.message("w", "1"), now: .at(0))
    session.publish(Self.message("p", "2"), now: .at(0))
    #expect(session.next(now: .at(0)) == .connect)
    session.connected(now: .at(0))
    #expect(session.next(now: .at(0)) == .publish(Self.message("a", "online"), 1))
    #expect(session.next(now: .at(0)) == .publish(Self.message("p", "2"), 2))
    #expect(session.next(now: .at(0)) == .publish(Self.message("w", "1"), 3))
    #expect(session.next(now: .at(0)) == .publishKept(after: 0, 4))
    session.published(kept: 7, 4, now: .at(0))
    // The next kept position comes later, but a new state at once.
    #expect(session.next(now: .at(0)) == .wait(until: .at(0.05)))
    session.publish(Self.message("w", "2"), now: .at(0))
    #expect(session.next(now: .at(0.01)) == .publish(Self.message("w", "2"), 5))
    #expect(session.next(now: .at(0.05)) == .publishKept(after: 7, 6))
    session.acknowledged(4)
    #expect(session.next(now: .at(0.05)) == .remove(7...7))
  }

  @Test func `no more messages are in flight than the window allows`() {
    var limits = MQTTSession.Limits()
    limits.window = 2
    var session = Self.connected(limits)
    for topic in ["p", "q", "r"] { session.publish(Self.message(topic, "1"), now: .at(0)) }
    #expect(session.next(now: .at(1)) == .publish(Self.message("p", "1"), 3))
    #expect(session.next(now: .at(1)) == .publish(Self.message("q", "1"), 4))
    #expect(session.next(now: .at(1)) == .wait(until: .at(31)))
    session.acknowledged(3)
    #expect(session.next(now: .at(1)) == .publish(Self.message("r", "1"), 5))
  }

  @Test func `failed connections are retried after 1 to 120 seconds, rejections after five minutes`() {
    var session = Self.session()
    var now = MonotonicTime.at(0)
    var delays: [Double] = []
    for _ in 0..<10 {
      #expect(session.next(now: now) == .connect)
      session.failed(MQTTFailure("refused"), now: now)
      guard case .wait(let until?) = session.next(now: now) else {
        Issue.record("does not wait")
        return
      }
      delays.append(until.seconds(since: now))
      now = until
    }
    #expect(delays.allSatisfy { (0.5...120).contains($0) })
    #expect(delays[0] <= 1 && delays[9] >= 60)
    #expect(Set(delays).count == 10)
    #expect(session.next(now: now) == .connect)
    session.failed(MQTTFailure(connackCode: 5), now: now)
    #expect(session.next(now: now) == .wait(until: now.advanced(bySeconds: 300)))
    #expect(!MQTTFailure(connackCode: 3).isRejection && MQTTFailure(connackCode: 4).isRejection)
  }

  @Test func `only a connection of a minute resets the delay, so that clients with one id do not fight`() {
    var session = Self.session()
    var now = MonotonicTime.at(0)
    /// Connects, has a message acknowledged and loses the connection; returns the delay.
    func delay(afterSeconds seconds: Double) -> Double {
      #expect(session.next(now: now) == .connect)
      session.connected(now: now)
      if case .publish(_, let ticket) = session.next(now: now) { session.acknowledged(ticket) }
      now = now.advanced(bySeconds: seconds)
      session.failed(MQTTFailure("lost"), now: now)
      guard case .wait(let until?) = session.next(now: now) else { return 0 }
      defer { now = until }
      return until.seconds(since: now)
    }
    let delays = (0..<9).map { _ in delay(afterSeconds: 2) }
    #expect(delays[0] <= 1 && delays[8] >= 60, "\(delays)")
    #expect(delay(afterSeconds: 59) >= 60)
    #expect(delay(afterSeconds: 60) <= 1)
  }

  @Test func `a broker that stalls is given up: 20 s for CONNACK, 30 s for an acknowledgement`() {
    var session = Self.session()
    #expect(session.next(now: .at(0)) == .connect)
    #expect(session.next(now: .at(0)) == .wait(until: .at(20)))
    #expect(session.next(now: .at(20)) == .disconnect(isPlanned: false))
    // The attempt to open the connection took 50 seconds.
    session = Self.session()
    #expect(session.next(now: .at(0)) == .connect)
    session.opened(now: .at(50))
    #expect(session.next(now: .at(50)) == .wait(until: .at(70)))
    #expect(session.next(now: .at(70)) == .disconnect(isPlanned: false))
    session = Self.connected()
    session.publish(Self.message("p", "1"), now: .at(0))
    #expect(session.next(now: .at(1)) == .publish(Self.message("p", "1"), 3))
    #expect(session.next(now: .at(1)) == .wait(until: .at(31)))
    #expect(session.next(now: .at(31)) == .disconnect(isPlanned: false))
  }

  @Test func `a planned stop publishes offline, waits for its acknowledgement and disconnects`() {
    var session = Self.connected()
    session.stop(now: .at(1))
    session.publish(Self.message("p", "late"), now: .at(0))
    #expect(session.next(now: .at(1)) == .publish(Self.message("a", "offline"), 3))
    #expect(session.next(now: .at(1)) == .wait(until: .at(3)))
    session.acknowledged(3)
    #expect(session.next(now: .at(1)) == .disconnect(isPlanned: true))
    #expect(session.next(now: .at(1)) == .finish)

    // A connection that is made after the stop is closed before its CONNACK.
    var connecting = Self.session()
    #expect(connecting.next(now: .at(0)) == .connect)
    connecting.stop(now: .at(0))
    #expect(connecting.next(now: .at(1)) == .disconnect(isPlanned: true))
    #expect(connecting.next(now: .at(1)) == .finish)

    // A connection that is accepted after the stop publishes nothing.
    var late = Self.session()
    late.publish(Self.message("p", "1"), now: .at(0))
    #expect(late.next(now: .at(0)) == .connect)
    late.stop(now: .at(0))
    late.connected(now: .at(1))
    #expect(late.next(now: .at(1)) == .disconnect(isPlanned: true))
    #expect(late.next(now: .at(1)) == .finish)

    var waiting = Self.session()
    _ = waiting.next(now: .at(0))
    waiting.failed(MQTTFailure("refused"), now: .at(0))
    waiting.stop(now: .at(0))
    #expect(waiting.next(now: .at(0)) == .finish)
  }

  @Test func `after an hour without a broker, 10,000 kept positions arrive once each, in order, slowly`() throws {
    var session = Self.session()
    var outbox = try MQTTOutbox(.init(path: ":memory:"))
    var generator = SeededGenerator(seed: 7)
    var received: [Int64] = []
    /// The tickets that the broker has received and not yet acknowledged.
    var window: [MQTTSession.Ticket] = []
    var (connectedAt, lostAt, lossCount, added, now) = (nil as Double?, 0.0, 0, 0, 0.0)
    var largest = 0
    // In steps of 10 ms: the broker is away for the first hour. Later, it acknowledges full windows
    // out of order, and loses each connection after 60 to 90 seconds with a full window.
    while outbox.count > 0 || now < 3601, now < 7200 {
      if now < 3600, Double(added) * 0.36 <= now {
        try outbox.add(Array("{}".utf8), time: nil, now: nil)
        session.messageWasKept()
        added += 1
      }
      loop: while true {
        switch session.next(now: .at(now)) {
        case .connect where now < 3600:
          session.failed(MQTTFailure("refused"), now: .at(now))
        case .connect:
          session.connected(now: .at(now))
          connectedAt = connectedAt ?? now
          lostAt = now + Double.random(in: 60...90, using: &generator)
        case .publish(_, let ticket): session.acknowledged(ticket)
        case .publishKept(let after, let ticket):
          let item = try outbox.next(after: after)
          session.published(kept: item?.sequence, ticket, now: .at(now))
          guard let item else { break }
          received.append(item.sequence)
          window.append(ticket)
        case .remove(let range): try outbox.remove(range)
        case .disconnect, .finish:
          Issue.record("ended")
          return
        case .wait: break loop
        }
      }
      largest = max(largest, window.count)
      if now >= lostAt, window.count == 16 {
        // The broker has all of the window, but only a part of its acknowledgements arrives.
        window.shuffle(using: &generator)
        for ticket in window.prefix(8) { session.acknowledged(ticket) }
        session.failed(MQTTFailure("lost"), now: .at(now))
        window = []
        lossCount += 1
      } else if window.count == 16 || outbox.count <= 16 {
        window.shuffle(using: &generator)
        for ticket in window { session.acknowledged(ticket) }
        window = []
      }
      now += 0.01
    }
    #expect(added == 10_000 && lossCount >= 5 && largest == 16)
    #expect(outbox.count == 0 && outbox.thinnedCount == 0)
    var seen: Set<Int64> = []
    #expect(received.filter { seen.insert($0).inserted } == Array(1...10_000))
    // Only positions whose acknowledgements were lost arrive again.
    #expect(received.count == 10_000 + lossCount * 8)
    let seconds = now - (connectedAt ?? 0)
    // 20 positions per second, and at most a second without a connection after each loss.
    #expect((490...540).contains(seconds), "\(seconds)")
  }

  /// Publishes everything that is due, and has the broker acknowledge the messages that it accepts.
  private static func exchange(
    _ session: inout MQTTSession, at now: MonotonicTime,
    accepts: (MQTTMessage) -> Bool = { _ in true }
  ) -> [String] {
    var topics: [String] = []
    while true {
      switch session.next(now: now) {
      case .publish(let message, let ticket):
        topics.append(message.topic)
        if accepts(message) { session.acknowledged(ticket) }
      case .publishKept(_, let ticket): session.published(kept: nil, ticket, now: now)
      default: return topics
      }
    }
  }

  private static func connect(_ session: inout MQTTSession, at now: MonotonicTime) {
    #expect(session.next(now: now) == .connect)
    session.connected(now: now)
  }

  @Test func `a session waits until the broker has acknowledged its messages, not only the connection`() {
    var session = Self.session()
    session.publish(Self.message("p", "1"), now: .at(0))
    #expect(session.delivery.waitingReason == "connecting")
    #expect(session.next(now: .at(0)) == .connect)
    session.failed(MQTTFailure("refused"), now: .at(5))
    session.publish(Self.message("p", "2"), now: .at(6))
    #expect(session.delivery.waitingReason == "refused" && session.delivery.since == .at(0))
    #expect(session.delivery.undeliveredCount == 1 && session.delivery.oldestAt == .at(6))
    // A broker that accepts each connection and closes it at once.
    Self.connect(&session, at: .at(10))
    _ = Self.exchange(&session, at: .at(10), accepts: { _ in false })
    #expect(session.delivery.waitingReason == "refused")
    session.failed(MQTTFailure("closed", wasClosed: true), now: .at(11))
    #expect(session.delivery.waitingReason == "closed" && session.delivery.since == .at(0))
    Self.connect(&session, at: .at(20))
    #expect(Self.exchange(&session, at: .at(20)) == ["a", "p"])
    #expect(session.delivery.waitingReason == nil && session.delivery.since == .at(20))
    #expect(session.delivery.undeliveredCount == 0 && session.delivery.oldestAt == nil)
  }

  @Test func `a wait that returns within a minute continues, and a later one begins anew`() {
    var session = Self.session()
    Self.connect(&session, at: .at(0))
    _ = Self.exchange(&session, at: .at(0))
    session.failed(MQTTFailure("closed", wasClosed: true), now: .at(100))
    #expect(session.delivery.since == .at(100))
    Self.connect(&session, at: .at(110))
    _ = Self.exchange(&session, at: .at(110))
    #expect(session.delivery.waitingReason == nil)
    session.failed(MQTTFailure("closed", wasClosed: true), now: .at(140))
    #expect(session.delivery.since == .at(100))
  }

  @Test func `a broker that acknowledges nothing for 10 seconds is a reason to wait`() {
    var session = Self.connected()
    _ = session.next(now: .at(0))
    session.publish(Self.message("p", "1"), now: .at(20))
    _ = session.next(now: .at(20))
    #expect(session.delivery.state(of: "b", now: .at(29)).waitingReason == nil)
    let state = session.delivery.state(of: "b", now: .at(30))
    #expect(state.waitingReason == "b: the broker acknowledges no message")
    #expect(state.since == .at(20) && state.oldestAt == .at(20))
  }

  @Test func `a consumer that confirms nothing is a reason to wait, until it confirms a message`() {
    var limits = MQTTSession.Limits()
    limits.confirmationSeconds = 600
    var session = Self.connected(limits)
    session.messageWasKept()
    guard case .publishKept(_, let ticket) = session.next(now: .at(1)) else {
      Issue.record("publishes nothing")
      return
    }
    session.published(kept: 1, ticket, now: .at(1))
    session.acknowledged(ticket)
    _ = Self.exchange(&session, at: .at(1))
    #expect(session.delivery.waitingReason == nil)
    _ = Self.exchange(&session, at: .at(601))
    #expect(session.delivery.waitingReason == "no confirmation from the fleet's consumer")
    session.confirmed(through: 1, now: .at(700))
    for _ in 0..<2 { _ = session.next(now: .at(700)) }
    #expect(session.delivery.waitingReason == nil)
  }

  @Test(arguments: [500, 4000])
  func `the parts of a description that a broker does not accept are left out`(limitBytes: Int) {
    var session = Self.session()
    let parts = (1...12).map {
      MQTTMessage(topic: "homeassistant/\($0)", payload: Array(repeating: 0, count: 600), isOptional: true)
    }
    let description = MQTTMessage(
      topic: "homeassistant/device", payload: Array(repeating: 0, count: 3300), isOptional: true,
      parts: parts)
    for message in [description, Self.message("p", "1"), Self.message("w", "1")] {
      session.publish(message, now: .at(0))
    }
    var refused: [String] = []
    var topics: [String] = []
    var attempts = 0
    while attempts < 8 {
      attempts += 1
      let now = MonotonicTime.at(Double(attempts) * 200)
      Self.connect(&session, at: now)
      var isOpen = true
      topics = Self.exchange(&session, at: now) { message in
        let isAllowed = limitBytes < 600 || !message.topic.hasPrefix("homeassistant")
        isOpen = isOpen && isAllowed && message.payload.count <= limitBytes
        return isOpen
      }
      guard !isOpen else { break }
      session.failed(MQTTFailure("closed", wasClosed: true), now: now.advanced(bySeconds: 1))
      session.takeOversized().map { refused.append($0.topic) }
    }
    #expect(attempts == 5 && topics == ["a", "p", "w"], "\(attempts) \(topics)")
    #expect(refused == ["homeassistant/device", "homeassistant/1"])
    #expect(session.delivery.waitingReason == nil && session.delivery.undeliveredCount == 0)
  }

  @Test func `a broker that acknowledges each position after the next one came is not waited for`() {
    var session = Self.session()
    var sent: [MQTTSession.Ticket] = []
    for second in 0..<90 {
      let now = MonotonicTime.at(second)
      session.publish(Self.message("p", "\(second)"), now: now)
      if second == 0 { Self.connect(&session, at: now) }
      // The round trip takes more than ten seconds.
      if sent.count > 11 { session.acknowledged(sent.removeFirst()) }
      var isBusy = true
      while isBusy {
        switch session.next(now: now) {
        case .publish(_, let ticket): sent.append(ticket)
        case .publishKept(_, let ticket): session.published(kept: nil, ticket, now: now)
        default: isBusy = false
        }
      }
      if second == 30 { #expect(session.delivery.waitingReason == "connecting") }
    }
    #expect(session.delivery.waitingReason == nil)
    let state = session.delivery.state(of: "mqtt://b", now: .at(90))
    #expect(state.waitingReason == nil, "\(state)")
  }

  @Test func `a large message that makes the broker close twice is divided, and smaller ones arrive`() {
    var session = Self.session()
    let large = MQTTMessage(
      topic: "large", payload: Array(repeating: 0, count: 3300),
      parts: [Self.message("large/1", "1"), Self.message("large/2", "2")])
    let sky = MQTTMessage(topic: "sky", payload: Array(repeating: 0, count: 2500))
    for message in [Self.message("p", "1"), sky, large] {
      session.publish(message, now: .at(0))
    }
    // A broker that closes the connection at a message of more than 2,000 bytes.
    var oversized: [String] = []
    var topics: [String] = []
    for attempt in 1...5 {
      var now = MonotonicTime.at(Double(attempt) * 200)
      Self.connect(&session, at: now)
      var isOpen = true
      topics = Self.exchange(&session, at: now) { message in
        isOpen = isOpen && message.payload.count <= 2000
        return isOpen
      }
      #expect(topics.starts(with: ["a", "p"]))
      guard !isOpen else { break }
      now = now.advanced(bySeconds: 1)
      session.failed(MQTTFailure("closed", wasClosed: true), now: now)
      session.takeOversized().map { oversized.append("\($0.topic) \($0.byteCount)") }
    }
    #expect(topics == ["a", "p", "large/1", "large/2"])
    #expect(oversized == ["large 3300", "sky 2500"])
    #expect(session.delivery.waitingReason == nil && session.delivery.undeliveredCount == 0)
    // The broker may have changed after a connection that lasted.
    session.failed(MQTTFailure("lost"), now: .at(9000))
    Self.connect(&session, at: .at(9200))
    #expect(Self.exchange(&session, at: .at(9200)).contains("sky"))
  }
}
