// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import FleetProtocol

@Suite("Delivery backlog")
struct DeliveryBacklogTests {
  /// Returns a backlog whose consumer has ten minutes for a confirmation.
  private static func backlog() -> DeliveryBacklog {
    DeliveryBacklog(intervalSeconds: 0.2, confirmationSeconds: 600, now: .at(0))
  }

  /// Publishes the messages after the cursor from a list of sequence numbers.
  private static func publish(_ backlog: inout DeliveryBacklog, from kept: [Int64], at now: Double) -> Int64? {
    guard let cursor = backlog.next(now: .at(now)) else { return nil }
    let sequence = kept.first { $0 > cursor }
    backlog.published(sequence, now: .at(now))
    return sequence
  }

  @Test func `kept messages are published at most at the rate, and the confirmation removes them`() {
    var backlog = Self.backlog()
    #expect(Self.publish(&backlog, from: [30, 60], at: 0) == 30)
    #expect(Self.publish(&backlog, from: [30, 60], at: 0.1) == nil)
    #expect(Self.publish(&backlog, from: [30, 60], at: 0.2) == 60)
    backlog.acknowledged(30)
    backlog.acknowledged(60)
    #expect(backlog.nextRemoval() == nil)
    backlog.confirmed(through: 60, now: .at(1))
    #expect(backlog.nextRemoval() == 0...60)
    #expect(Self.publish(&backlog, from: [], at: 1) == nil)
    #expect(backlog.nextAt == nil)
  }

  @Test func `a connection continues after the last message that the broker has acknowledged`() {
    var backlog = Self.backlog()
    for (index, sequence) in [30, 60, 90].enumerated() {
      #expect(Self.publish(&backlog, from: [30, 60, 90], at: Double(index)) == Int64(sequence))
    }
    // The acknowledgement of 60 is lost with the connection.
    backlog.acknowledged(30)
    backlog.acknowledged(90)
    backlog.connected(firstAt: .at(100))
    #expect(Self.publish(&backlog, from: [30, 60, 90], at: 99) == nil)
    #expect(Self.publish(&backlog, from: [30, 60, 90], at: 100) == 60)
    #expect(Self.publish(&backlog, from: [30, 60, 90], at: 101) == 90)
  }

  @Test func `without a confirmation for ten minutes, unconfirmed messages are published again`() {
    var backlog = Self.backlog()
    #expect(Self.publish(&backlog, from: [30, 60], at: 0) == 30)
    #expect(Self.publish(&backlog, from: [30, 60], at: 1) == 60)
    backlog.acknowledged(30)
    backlog.acknowledged(60)
    #expect(Self.publish(&backlog, from: [30, 60], at: 2) == nil)
    backlog.confirmed(through: 30, now: .at(100))
    #expect(backlog.nextRemoval() == 0...30)
    #expect(backlog.nextAt == .at(700))
    #expect(Self.publish(&backlog, from: [60], at: 699) == nil)
    #expect(Self.publish(&backlog, from: [60], at: 700) == 60)
    #expect(Self.publish(&backlog, from: [60], at: 701) == nil)
    backlog.confirmed(through: 60, now: .at(1300))
    #expect(backlog.nextRemoval() == 0...60)
    #expect(Self.publish(&backlog, from: [], at: 5000) == nil)
    #expect(backlog.nextAt == nil)
  }

  @Test func `a confirmation that repeats its number does not delay the resending after a gap`() {
    var backlog = Self.backlog()
    var kept: [Int64] = [30, 60]
    for index in 0..<2 {
      #expect(Self.publish(&backlog, from: kept, at: Double(index)) == kept[index])
    }
    backlog.confirmed(through: 30, now: .at(2))
    #expect(Self.publish(&backlog, from: kept, at: 2) == nil)
    // The broker lost 60, so the consumer confirms each later message with 30.
    for minute in 1..<10 {
      kept.append(kept[kept.count - 1] + 30)
      backlog.messageWasKept()
      let now = Double(minute) * 60
      #expect(Self.publish(&backlog, from: kept, at: now) == kept.last)
      backlog.confirmed(through: 30, now: .at(now + 1))
      #expect(Self.publish(&backlog, from: kept, at: now + 1) == nil)
    }
    #expect(backlog.nextAt == .at(602))
    #expect(Self.publish(&backlog, from: kept.filter { $0 > 30 }, at: 602) == 60)
  }

  @Test func `a confirmation of further messages postpones the resending`() {
    var backlog = Self.backlog()
    for (index, sequence) in [30, 60, 90].enumerated() {
      #expect(Self.publish(&backlog, from: [30, 60, 90], at: Double(index)) == Int64(sequence))
    }
    #expect(Self.publish(&backlog, from: [30, 60, 90], at: 3) == nil)
    backlog.confirmed(through: 30, now: .at(100))
    #expect(backlog.nextAt == .at(700))
    backlog.confirmed(through: 60, now: .at(500))
    #expect(backlog.nextAt == .at(1100))
    backlog.confirmed(through: 60, now: .at(600))
    #expect(backlog.nextAt == .at(1100))
  }

  @Test func `without a consumer, the time until messages are published again doubles up to four hours`() {
    var backlog = Self.backlog()
    #expect(Self.publish(&backlog, from: [30, 60], at: 0) == 30)
    #expect(Self.publish(&backlog, from: [30, 60], at: 1) == 60)
    var (now, delays): (Double, [Double]) = (0, [])
    for _ in 0..<7 {
      #expect(Self.publish(&backlog, from: [30, 60], at: now + 2) == nil)
      guard let next = backlog.nextAt else { break }
      delays.append(next.seconds(since: .at(now)))
      now += delays[delays.count - 1]
      #expect(Self.publish(&backlog, from: [30, 60], at: now) == 30)
      #expect(Self.publish(&backlog, from: [30, 60], at: now + 1) == 60)
    }
    #expect(delays == [600, 1200, 2400, 4800, 9600, 14_400, 14_400])
    backlog.confirmed(through: 30, now: .at(now + 10))
    #expect(Self.publish(&backlog, from: [60], at: now + 10) == nil)
    #expect(backlog.nextAt == .at(now + 610))
  }

  @Test func `a confirmation of messages that were never published is ignored`() {
    var backlog = Self.backlog()
    #expect(Self.publish(&backlog, from: [30, 60], at: 0) == 30)
    backlog.confirmed(through: 31, now: .at(1))
    backlog.confirmed(through: 0, now: .at(1))
    backlog.confirmed(through: .min, now: .at(1))
    #expect(backlog.nextRemoval() == nil)
    #expect(Self.publish(&backlog, from: [30, 60], at: 2) == 60)
  }
}
