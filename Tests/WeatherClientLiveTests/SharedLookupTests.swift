// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Tests two programs with a shared store, one of which has a lookup in progress.
@Suite("Lookup in progress in another program", .timeLimit(.minutes(5)))
struct SharedLookupTests {
  private static let now = BootTimestamp(
    utcSeconds: 1_795_262_400, bootSeconds: 1000, boot: "boot")

  /// Returns a response whose body is sent 0.7 s after the head.
  private static func slowResponse(
    status: String = "200 OK", _ body: String
  ) -> LoopbackServer.Script {
    var script = LoopbackServer.Script.answer(status: status, body)
    script.pauseMicroseconds = 700_000
    return script
  }

  private static func service(_ server: LoopbackServer, _ store: String) -> WeatherService {
    WeatherService(
      sources: [WeatherService.Source(OpenMeteo(baseURL: server.baseURL))], storePath: store,
      lookup: Exchange.lookup(.seconds(10)), now: { now }, generator: SeededGenerator(seed: 1))
  }

  /// Returns the result of a second program that starts a lookup while the first program waits.
  private static func secondProgram(
    _ server: LoopbackServer, at coordinate: Coordinate
  ) async throws -> Result<WeatherReport, WeatherError> {
    let folder = try ScratchFolder()
    let store = folder.path + "/weather.sqlite"
    let (firstService, secondService) = (service(server, store), service(server, store))
    let first = Task { try? await firstService.weather(at: .near(54, 10)) }
    _ = await server.heads.wait(for: 1)
    defer { first.cancel() }
    do throws(WeatherError) {
      return .success(try await secondService.weather(at: coordinate))
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [10, 10.05])
  func `a second program waits for the report of the first program, even in a neighbouring cell`(longitude: Double)
    async throws
  {
    let server = LoopbackServer { _ in Self.slowResponse(OpenMeteoTests.good) }
    defer { server.stop() }
    let report = try await Self.secondProgram(server, at: .near(54, longitude)).get()
    #expect(report.coordinate == .at(54, 10))
    #expect(server.requests.count == 1)
  }

  @Test func `a second program starts no lookup immediately after a failed lookup of the first program`() async throws {
    let server = LoopbackServer { _ in Self.slowResponse(status: "500 Oops", "{}") }
    defer { server.stop() }
    guard
      case .failure(.notDue(_, let reason)) = try await Self.secondProgram(
        server, at: .near(54, 10))
    else {
      Issue.record("no notDue error after the failure")
      return
    }
    #expect(reason == "openmeteo failed and is retried after a back-off")
    #expect(server.requests.count == 1)
  }

  @Test func `a second program does not wait for a lookup at a distant coordinate`() async throws {
    let server = LoopbackServer { _ in Self.slowResponse(OpenMeteoTests.good) }
    defer { server.stop() }
    guard
      case .failure(.notDue(_, let reason)) = try await Self.secondProgram(
        server, at: .near(55, 10))
    else {
      Issue.record("no notDue error for a distant coordinate")
      return
    }
    #expect(reason == "openmeteo was contacted less than a minute ago")
    #expect(server.requests.count == 1)
  }
}
