// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// How often each user makes the daemon write, within a minute.
///
/// Who may know nothing yet costs a line of the log, and who asks the whole file of answers too:
/// without bounds any user could wear out the card, and push out of the log what matters.
struct RequestBudget: Sendable {
  private static let windowSeconds = 60.0
  /// Users beyond these are forgotten as soon as their minute is over.
  private static let mostUsers = 256

  private let perMinute: Int
  private var spent: [UInt32: (since: MonotonicTime, count: Int)] = [:]

  init(perMinute: Int) { self.perMinute = perMinute }

  /// Takes one of a user's; gives whether there was one left.
  mutating func take(from userID: UInt32, at now: MonotonicTime) -> Bool {
    if spent.count > Self.mostUsers {
      spent = spent.filter { now.seconds(since: $0.value.since) < Self.windowSeconds }
    }
    guard let (since, count) = spent[userID], now.seconds(since: since) < Self.windowSeconds else {
      spent[userID] = (now, 1)
      return perMinute > 0
    }
    guard count < perMinute else { return false }
    spent[userID] = (since, count + 1)
    return true
  }
}
