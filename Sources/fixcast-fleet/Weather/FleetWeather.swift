// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Logging
internal import Positioning
internal import Synchronization
internal import SystemSupport
internal import WeatherClient
internal import WeatherClientLive

/// Looks up the weather once for each cell that boards are in, and sends each board its report.
///
/// Only the consumer that holds the advisory lock for weather sends requests.
struct FleetWeather: Sendable {
  struct Settings: Sendable {
    var provider: any WeatherProvider
    /// The maximum number of requests in any 24 hours.
    var dailyLimit = 500
    /// The number of decimal places of a cell's centre in degrees; 1 for cells of 11 km.
    var decimals = 1
    /// The time between two looks at the positions of the boards.
    var pollInterval = Duration.seconds(20)
  }

  /// A board that sent a message within the last hour.
  struct Board: Sendable {
    var id: FleetBoardID
    var shard: FleetShard
    var cell: WeatherCell
  }

  /// The age beyond which boards ignore a report, in seconds.
  private static let maxAgeSeconds: Int64 = 45 * 60

  private let settings: Settings
  private let store: FleetStore
  private let broker: BrokerSettings
  private let logger: Logger
  private let lookup = WeatherLookup()

  init(_ settings: Settings, _ store: FleetStore, _ broker: BrokerSettings, _ logger: Logger) {
    (self.settings, self.store, self.broker, self.logger) = (settings, store, broker, logger)
  }

  /// Runs until the task is cancelled or the connection to the database fails.
  func run(count: @escaping @Sendable ((inout FleetCounters) -> Void) -> Void) async {
    var hasLock = false
    repeat {
      do throws(PostgresError) {
        if !hasLock {
          hasLock = try await store.tryLock(FleetStore.weatherLock)
          guard hasLock else { continue }
          logger.info("looking up the weather for the fleet")
        }
        try await serve(count)
      } catch {
        // The consumer notices that the connection is lost, which it shares.
        guard case .statement = error else { return }
        logger.warning("weather: \(error)")
      }
    } while await pause()
  }

  private func serve(
    _ count: @escaping @Sendable ((inout FleetCounters) -> Void) -> Void
  ) async throws(PostgresError) {
    let publisher = WeatherPublisher()
    var reports = try await store.weatherReports(decimals: settings.decimals)
    var planner = WeatherPlanner(
      dailyLimit: settings.dailyLimit, requests: try await store.weatherRequests(),
      cells: reports.mapValues(\.receivedSeconds))
    let failure: PostgresError? = await withTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      let loop = BrokerLoop(broker: broker, suffix: "weather", filters: [], logger: logger)
      group.addTask { await loop.run { publisher.makeHandlers() } }
      do throws(PostgresError) {
        repeat {
          let boards = try await store.freshBoards(decimals: settings.decimals)
          planner.setOccupied(
            Dictionary(grouping: boards, by: \.cell).mapValues { $0.map(\.id) }, at: Self.now)
          while let cell = planner.next(at: Self.now), !Task.isCancelled {
            // Stored before the request, so that a crash cannot evade the limit.
            try await store.addWeatherRequest()
            count { $0.weatherRequests += 1 }
            let result = await lookUp(cell)
            for _ in 1..<max(result?.requestCount ?? 1, 1) {
              planner.countRequest(at: Self.now)
              try await store.addWeatherRequest()
              count { $0.weatherRequests += 1 }
            }
            if let report = result?.report {
              let stored = StoredWeather(report: report, receivedSeconds: Self.now)
              reports[cell] = stored
              try await store.save(stored, for: cell)
            } else {
              planner.failed(cell, at: Self.now)
              count { $0.weatherFailures += 1 }
            }
          }
          reports = reports.filter { Self.now - $0.value.receivedSeconds <= Self.maxAgeSeconds }
          let sent = publisher.publish(reports, to: boards, now: Self.now)
          count { $0.weatherMessages += UInt64(sent) }
        } while await pause()
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }

  /// Requests the weather of a cell; `nil` if the cell has no centre.
  private func lookUp(
    _ cell: WeatherCell
  ) async -> (report: WeatherReport?, requestCount: Int)? {
    guard let coordinate = cell.coordinate else { return nil }
    let result = await lookup.ask(settings.provider, at: coordinate)
    do throws(WeatherError) {
      return (try result.report(), result.requestCount)
    } catch {
      logger.warning("weather at \(cell.latitudeText),\(cell.longitudeText): \(error)")
      return (nil, result.requestCount)
    }
  }

  private func pause() async -> Bool {
    (try? await Task.sleep(for: settings.pollInterval)) != nil
  }

  private static var now: Int64 { SystemClock.utcNow().secondsSince1970 }
}
