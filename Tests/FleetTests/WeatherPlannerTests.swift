// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FleetProtocol
import Testing
import WeatherClient

@testable import fixcast_fleet

@Suite("Weather of a fleet", .oneAtATime)
struct WeatherPlannerTests {
  private static let cells = (0..<100).map { number in
    WeatherCell(.at(40 + Double(number / 10), Double(number % 10)), decimals: 1)
  }

  /// Returns boards in cells, whose ids begin with a prefix.
  private static func boards(
    _ counts: [Int: Int], _ prefix: String = "b"
  ) -> [WeatherCell: [FleetBoardID]] {
    Dictionary(
      uniqueKeysWithValues: counts.map { cell, count in
        (cells[cell], (0..<count).compactMap { FleetBoardID("\(prefix)-\(cell)-\($0)") })
      })
  }

  /// Runs a planner for two days, and returns the largest number of requests in any 24 hours.
  private static func busiestDay(boards: Int, limit: Int) -> (requests: Int, cells: Int) {
    var planner = WeatherPlanner(dailyLimit: limit)
    let occupied = Self.boards(
      Dictionary((0..<boards).map { ($0 % cells.count, 1) }, uniquingKeysWith: +))
    var times: [Int64] = []
    var requested: Set<WeatherCell> = []
    for now in stride(from: Int64(1_000_000), to: 1_000_000 + 2 * 86_400, by: 300) {
      planner.setOccupied(occupied, at: now)
      while let cell = planner.next(at: now) {
        times.append(now)
        requested.insert(cell)
      }
    }
    var (busiest, start) = (0, 0)
    for end in times.indices {
      while times[start] <= times[end] - 86_400 { start += 1 }
      busiest = max(busiest, end - start + 1)
    }
    return (busiest, requested.count)
  }

  @Test func `requests a day grow with the cells, not with the boards`() {
    let days = [1, 10, 100, 1000, 10_000].map { Self.busiestDay(boards: $0, limit: 10_000) }
    #expect(days.map(\.requests) == [48, 480, 4800, 4800, 4800])
    #expect(days.map(\.cells) == [1, 10, 100, 100, 100])
  }

  @Test func `the daily limit is never exceeded, and all cells get their turn`() {
    for limit in [1, 10, 500, 4799] {
      for boards in [1, 100, 10_000] {
        let day = Self.busiestDay(boards: boards, limit: limit)
        #expect(day.requests <= limit, "\(boards) boards, limit \(limit)")
        if limit >= 500 { #expect(day.cells == min(boards, 100)) }
      }
    }
  }

  @Test func `the limit also counts the requests of an earlier consumer`() {
    let now: Int64 = 1_000_000
    var planner = WeatherPlanner(
      dailyLimit: 100, requests: Array(repeating: now - 3600, count: 99))
    planner.setOccupied(Self.boards([0: 1]), at: now)
    #expect(planner.next(at: now) == Self.cells[0])
    planner.setOccupied(Self.boards([1: 1]), at: now)
    #expect(planner.next(at: now + 1) == nil)
    #expect(planner.next(at: now + 86_400 - 3600) == Self.cells[1])
  }

  @Test func `the cell with more boards comes first, and an older report counts more than a newer one`() {
    var planner = WeatherPlanner(dailyLimit: 1000)
    planner.setOccupied(Self.boards([0: 1, 1: 5]), at: 0)
    #expect(planner.next(at: 0) == Self.cells[1])
    #expect(planner.next(at: 1000) == Self.cells[0])
    #expect(planner.next(at: 1799) == nil)
    planner.setOccupied(Self.boards([0: 5, 1: 5]), at: 3000)
    #expect(planner.next(at: 3000) == Self.cells[1])
  }

  @Test func `a failed request is repeated after five minutes, within the daily limit`() {
    // Two requests are left, and the limit suffices for the cell, so that requests are not spread.
    var planner = WeatherPlanner(
      dailyLimit: 60, requests: Array(repeating: -3600, count: 58))
    planner.setOccupied(Self.boards([0: 1]), at: 0)
    for time in [0, 300] as [Int64] {
      #expect(planner.next(at: time) == Self.cells[0])
      planner.failed(Self.cells[0], at: time)
      #expect(planner.next(at: time + 299) == nil)
    }
    #expect(planner.next(at: 600) == nil)
  }

  @Test func `a cell that all boards left and entered again is not requested before its interval`() {
    var planner = WeatherPlanner(dailyLimit: 1000)
    planner.setOccupied(Self.boards([0: 1]), at: 0)
    #expect(planner.next(at: 0) != nil)
    planner.setOccupied([:], at: 100)
    planner.setOccupied(Self.boards([0: 1]), at: 200)
    #expect(planner.next(at: 200) == nil)
    #expect(planner.next(at: 1800) != nil)
  }

  /// Runs a planner for a day beside a board that enters a new cell every 20 seconds.
  private static func dayBesideHopper(
    _ honest: [WeatherCell: [FleetBoardID]], limit: Int
  ) throws -> (honest: Int, hopper: Int) {
    var planner = WeatherPlanner(dailyLimit: limit)
    let hopper = try #require(FleetBoardID("hopper"))
    var counts = (honest: 0, hopper: 0)
    for number in 0..<4320 {
      let now = 1_000_000 + Int64(number) * 20
      let cell = WeatherCell(
        .at(-80 + Double(number / 1000) * 0.5, Double(number % 1000) * 0.1), decimals: 1)
      planner.setOccupied(honest.merging([cell: [hopper]]) { $0 + $1 }, at: now)
      while let next = planner.next(at: now) {
        if honest[next] == nil { counts.hopper += 1 } else { counts.honest += 1 }
      }
    }
    return counts
  }

  @Test func `a board that enters a new cell before each look does not use the budget of 100 others`() throws {
    let honest = Self.boards(Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, 10) }))
    // The ten cells need 480 requests a day.
    let day = try Self.dayBesideHopper(honest, limit: 500)
    #expect(day.honest >= 465)
    #expect(day.hopper <= 20)
  }

  @Test func `a moving board may use what the others leave over, at most one new cell in five minutes`() throws {
    let day = try Self.dayBesideHopper(Self.boards([0: 5]), limit: 500)
    #expect(day.honest == 48)
    #expect((250...288).contains(day.hopper), "\(day.hopper)")
  }
}
