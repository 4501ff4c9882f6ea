// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Selects the cell whose weather to look up next, within a daily budget.
///
/// Times are Unix times in seconds. The requests of the last 24 hours survive a restart, because
/// the caller stores them before each request.
struct WeatherPlanner: Sendable {
  /// The minimum time between two requests for a cell, in seconds.
  static let intervalSeconds: Int64 = 1800
  /// The time after which a failed request is repeated, in seconds.
  static let retrySeconds: Int64 = 300
  private static let daySeconds: Int64 = 86_400

  /// The maximum number of requests in any 24 hours.
  let dailyLimit: Int
  private var requests: [Int64]
  private var boardCounts: [WeatherCell: Int] = [:]
  private var lastRequest: [WeatherCell: Int64] = [:]

  /// Creates a planner.
  ///
  /// - Parameters:
  ///   - dailyLimit: The maximum number of requests in any 24 hours.
  ///   - requests: The times of earlier requests.
  ///   - cells: The times of the last reports.
  init(dailyLimit: Int, requests: [Int64] = [], cells: [WeatherCell: Int64] = [:]) {
    self.dailyLimit = dailyLimit
    self.requests = requests.sorted()
    lastRequest = cells
  }

  /// Replaces the numbers of boards in the occupied cells.
  mutating func setOccupied(_ boardCounts: [WeatherCell: Int], at now: Int64) {
    self.boardCounts = boardCounts
    // A cell that a board enters again within the interval is not requested again.
    lastRequest = lastRequest.filter {
      boardCounts[$0.key] != nil || now - $0.value < Self.intervalSeconds
    }
  }

  /// Returns the cell to look up now, and counts its request; `nil` if no request is due or allowed.
  ///
  /// A cell with more boards and an older report comes first. While the budget does not suffice for
  /// all cells, requests are spread over the day.
  mutating func next(at now: Int64) -> WeatherCell? {
    requests.removeAll { $0 <= now - Self.daySeconds || $0 > now }
    guard requests.count < dailyLimit, isPaced(now) else { return nil }
    let due = boardCounts.filter { now - (lastRequest[$0.key] ?? .min / 2) >= Self.intervalSeconds }
    func priority(_ cell: WeatherCell, _ count: Int) -> Int64 {
      // A cell without a report counts as a day old.
      Int64(count) * (now - (lastRequest[cell] ?? now - Self.daySeconds))
    }
    let next = due.max { left, right in
      let (first, second) = (priority(left.key, left.value), priority(right.key, right.value))
      // The position decides between equal cells, so that the order does not vary.
      return first != second
        ? first < second
        : (left.key.latitudeText, left.key.longitudeText)
          < (right.key.latitudeText, right.key.longitudeText)
    }
    guard let cell = next?.key else { return nil }
    requests.append(now)
    lastRequest[cell] = now
    return cell
  }

  /// Counts a further request of a lookup, such as a redirect.
  mutating func countRequest(at now: Int64) { requests.append(now) }

  /// Makes a cell whose request failed due again after ``retrySeconds``.
  mutating func failed(_ cell: WeatherCell, at now: Int64) {
    lastRequest[cell] = now - Self.intervalSeconds + Self.retrySeconds
  }

  /// Whether the last half hour had fewer requests than its share of the budget.
  ///
  /// Without a share, the first hours of a day would use the budget of all the others.
  private func isPaced(_ now: Int64) -> Bool {
    let perDay = boardCounts.count * Int(Self.daySeconds / Self.intervalSeconds)
    guard perDay > dailyLimit else { return true }
    let share = max(dailyLimit / Int(Self.daySeconds / Self.intervalSeconds), 1)
    return requests.reversed().prefix { $0 > now - Self.intervalSeconds }.count < share
  }
}
