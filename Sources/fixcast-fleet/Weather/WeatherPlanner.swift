// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
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
  private var boards: [WeatherCell: [FleetBoardID]] = [:]
  private var lastRequest: [WeatherCell: Int64] = [:]
  private var shares: WeatherShares
  /// The number of boards within their share in a cell, as far as it is known.
  private var shareCounts: [WeatherCell: Int] = [:]

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
    shares = WeatherShares(dailyLimit: dailyLimit)
  }

  /// Replaces the boards in the occupied cells.
  mutating func setOccupied(_ boards: [WeatherCell: [FleetBoardID]], at now: Int64) {
    self.boards = boards
    shareCounts = [:]
    shares.setBoardCount(boards.values.reduce(0) { $0 + $1.count }, at: now)
    // A cell that a board enters again within the interval is not requested again.
    lastRequest = lastRequest.filter {
      boards[$0.key] != nil || now - $0.value < Self.intervalSeconds
    }
  }

  /// Returns the cell to look up now, and counts its request; `nil` if no request is due or allowed.
  ///
  /// A cell with more boards and an older report comes first; boards that have used their share do
  /// not count. A cell whose boards have all used their share comes last, and only if the budget
  /// suffices for all cells. While it does not, requests are spread over the day.
  mutating func next(at now: Int64) -> WeatherCell? {
    requests.removeAll { $0 <= now - Self.daySeconds || $0 > now }
    guard requests.count < dailyLimit, isPaced(now) else { return nil }
    let due = boards.keys.filter { now - (lastRequest[$0] ?? .min / 2) >= Self.intervalSeconds }
    for cell in due where shareCounts[cell] == nil {
      shareCounts[cell] = boards[cell]?.count { shares.hasShare($0, in: cell, at: now) }
    }
    var next = first(of: due, at: now) { shareCounts[$0] ?? 0 }
    if next == nil, requests.count + dailyNeed < dailyLimit {
      next = first(of: due, at: now) { cell in
        boards[cell]?.count { shares.mayEnter($0, cell, at: now) } ?? 0
      }
    }
    guard let cell = next else { return nil }
    requests.append(now)
    lastRequest[cell] = now
    shares.charge(boards[cell] ?? [], for: cell, at: now)
    shareCounts[cell] = nil
    return cell
  }

  /// Counts a further request of a lookup, such as a redirect.
  mutating func countRequest(at now: Int64) { requests.append(now) }

  /// Makes a cell whose request failed due again after ``retrySeconds``.
  mutating func failed(_ cell: WeatherCell, at now: Int64) {
    lastRequest[cell] = now - Self.intervalSeconds + Self.retrySeconds
  }

  /// Returns the cell with the highest product of boards and age of the report; `nil` if no cell has
  /// boards that count.
  private func first(
    of cells: [WeatherCell], at now: Int64, count: (WeatherCell) -> Int
  ) -> WeatherCell? {
    let priorities = cells.map { cell in
      // A cell without a report counts as a day old.
      (cell, priority: Int64(count(cell)) * (now - (lastRequest[cell] ?? now - Self.daySeconds)))
    }
    return priorities.filter { $0.priority > 0 }.max { left, right in
      // The position decides between equal cells, so that the order does not vary.
      left.priority != right.priority
        ? left.priority < right.priority
        : (left.0.latitudeText, left.0.longitudeText)
          < (right.0.latitudeText, right.0.longitudeText)
    }?.0
  }

  /// The number of requests in 24 hours that all occupied cells need.
  private var dailyNeed: Int { boards.count * Int(Self.daySeconds / Self.intervalSeconds) }

  /// Whether the last half hour had fewer requests than its share of the budget.
  ///
  /// Without a share, the first hours of a day would use the budget of all the others.
  private func isPaced(_ now: Int64) -> Bool {
    guard dailyNeed > dailyLimit else { return true }
    let share = max(dailyLimit / Int(Self.daySeconds / Self.intervalSeconds), 1)
    return requests.reversed().prefix { $0 > now - Self.intervalSeconds }.count < share
  }
}
