// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// Passes on what a receiver states about itself: at once if it is new, otherwise once a minute.
///
/// Some receivers repeat the state of the antenna every second. The number of new texts a minute is
/// limited, since a faulty receiver may send any text, and so is the number of changes of the
/// antenna, since a plug may be loose.
struct ReceiverMessageFilter: Sendable {
  static let repeatNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of texts that are remembered, and of new texts a minute.
  static let maxTexts = 8

  private struct Statement {
    var text: ShortText
    var at: MonotonicTime?
  }

  private var antenna: AntennaState?
  private var antennaAt: MonotonicTime?
  private var statements: [Statement] = []
  private var minuteStart: MonotonicTime?
  private var newCount = 0
  private var changesStart: MonotonicTime?
  private var changeCount = 0

  init() {}

  /// Returns whether a state of the antenna was stated before; `nil` if it is not to be passed on.
  mutating func isRepeated(_ state: AntennaState, at now: MonotonicTime?) -> Bool? {
    let isRepeated = state == antenna
    if isRepeated {
      guard Self.isDue(since: antennaAt, now) else { return nil }
    } else {
      if Self.isDue(since: changesStart, now) || changeCount == 0 {
        (changesStart, changeCount) = (now, 0)
      }
      guard changeCount < Self.maxTexts else { return nil }
      changeCount += 1
    }
    (antenna, antennaAt) = (state, now)
    return isRepeated
  }

  /// Returns whether a text was stated before; `nil` if it is not to be passed on.
  mutating func isRepeated(_ text: ShortText, at now: MonotonicTime?) -> Bool? {
    if let index = statements.firstIndex(where: { $0.text == text }) {
      guard Self.isDue(since: statements[index].at, now) else { return nil }
      statements[index].at = now
      return true
    }
    if Self.isDue(since: minuteStart, now) || newCount == 0 { (minuteStart, newCount) = (now, 0) }
    guard newCount < Self.maxTexts else { return nil }
    newCount += 1
    if statements.count >= Self.maxTexts { statements.removeFirst() }
    statements.append(Statement(text: text, at: now))
    return false
  }

  private static func isDue(since earlier: MonotonicTime?, _ now: MonotonicTime?) -> Bool {
    guard let earlier, let now else { return false }
    return now.nanoseconds &- earlier.nanoseconds >= repeatNanoseconds
  }
}

extension ReceiverMessage.Antenna {
  init(_ state: AntennaState) {
    self =
      switch state {
      case .unknown: .unknown
      case .good: .good
      case .open: .open
      case .shorted: .shorted
      case .internal: .internal
      case .external: .external
      }
  }
}
