// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import WeatherClient

/// The share of each board in the daily budget of requests.
///
/// A request for a cell is charged to the boards in the cell in equal parts. A board that jumps from
/// cell to cell uses up its own share, and not the budget of the fleet.
struct WeatherShares: Sendable {
  /// The minimum time between two requests for different cells that one board causes, in seconds.
  ///
  /// A vehicle needs more time for a cell of 11 km.
  static let hopSeconds: Int64 = 300
  private static let daySeconds = 86_400.0

  private struct Use: Sendable {
    /// The number of requests, which decreases by the share in 24 hours.
    var amount: Double
    var at: Int64
    var cell: WeatherCell
  }

  private let dailyLimit: Int
  /// The number of requests in 24 hours for each board.
  private var share: Double
  private var uses: [FleetBoardID: Use] = [:]

  init(dailyLimit: Int) {
    self.dailyLimit = dailyLimit
    share = Double(dailyLimit)
  }

  /// Divides the budget between a number of boards.
  mutating func setBoardCount(_ count: Int, at now: Int64) {
    share = Double(dailyLimit) / Double(max(count, 1))
    guard uses.count > 2 * count + 64 else { return }
    uses = uses.filter { amount($0.value, now) > 0 || now - $0.value.at < Self.hopSeconds }
  }

  /// Whether a board may cause a request for a cell within its share.
  func hasShare(_ board: FleetBoardID, in cell: WeatherCell, at now: Int64) -> Bool {
    guard let use = uses[board] else { return true }
    return amount(use, now) < share && mayEnter(cell, use, now)
  }

  /// Whether a board may cause a request for a cell beyond its share.
  func mayEnter(_ board: FleetBoardID, _ cell: WeatherCell, at now: Int64) -> Bool {
    uses[board].map { mayEnter(cell, $0, now) } ?? true
  }

  /// Charges a request for a cell to the boards in it.
  mutating func charge(_ boards: [FleetBoardID], for cell: WeatherCell, at now: Int64) {
    let part = 1 / Double(max(boards.count, 1))
    for board in boards {
      let used = uses[board].map { amount($0, now) } ?? 0
      uses[board] = Use(amount: used + part, at: now, cell: cell)
    }
  }

  private func amount(_ use: Use, _ now: Int64) -> Double {
    max(use.amount - Double(now - use.at) * share / Self.daySeconds, 0)
  }

  private func mayEnter(_ cell: WeatherCell, _ use: Use, _ now: Int64) -> Bool {
    use.cell == cell || now - use.at >= Self.hopSeconds
  }
}
