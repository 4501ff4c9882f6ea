// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Reports that the consumer of a fleet looked up for a board.
@Suite("Reports received from a fleet", .timeLimit(.minutes(5)))
struct ReceivedReportTests {
  private let fixture: WeatherServiceFixture

  init() throws { fixture = try WeatherServiceFixture() }

  @Test func `a report of the fleet is used for 45 minutes; afterwards the board asks its own provider`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    var report = WeatherReport(coordinate: .near(54, 10), provider: "metnorway", kind: .forecast)
    report.now.temperatureDegreesCelsius = 11
    await service.receive(report, ageSeconds: 600, via: "fleet")
    let received = try await service.weather(at: .near(54, 10))
    #expect(received.provider == "metnorway" && received.via == "fleet")
    #expect(received.cachedForSeconds == 600 && received.freshForSeconds == 2100)
    fixture.board.advance(2099)
    #expect(try await service.weather(at: .near(54, 10)).via == "fleet" && server.requests.isEmpty)
    fixture.board.advance(1)
    let own = try await service.weather(at: .near(54, 10))
    #expect(own.provider == "openmeteo" && own.via == nil && server.requests.count == 1)
    // The fleet's next report replaces the own one.
    fixture.board.advance(60)
    await service.receive(report, ageSeconds: 10, via: "fleet")
    #expect(await service.cachedReport(at: .near(54, 10))?.via == "fleet")
  }

  @Test func `an older report never replaces a newer one`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    var report = WeatherReport(coordinate: .near(54, 10), provider: "metnorway", kind: .forecast)
    report.now.temperatureDegreesCelsius = 11
    await service.receive(report, ageSeconds: 600, via: "fleet")
    report.now.temperatureDegreesCelsius = 12
    await service.receive(report, ageSeconds: 601, via: "fleet")
    #expect(await service.cachedReport(at: .near(54, 10))?.now.temperatureDegreesCelsius == 11)
  }

  @Test func `a report whose provider has control characters is ignored`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    var report = WeatherReport(coordinate: .near(54, 10), provider: "metnorway", kind: .forecast)
    await service.receive(report, ageSeconds: 600, via: "fleet")
    // Names from the wire are shown on terminals.
    report.provider = "a\u{1B}[2J"
    await service.receive(report, ageSeconds: 0, via: "fleet")
    #expect(await service.cachedReport(at: .near(54, 10))?.provider == "metnorway")
  }

  @Test func `without a provider, the last report of the fleet stays available as a stored forecast`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server), dailyBudget: 0)
    let report = WeatherReport(coordinate: .near(54, 10), provider: "metnorway", kind: .forecast)
    await service.receive(report, ageSeconds: 0, via: "fleet")
    fixture.board.advance(2701)
    await #expect(throws: WeatherError.self) { try await service.weather(at: .near(54, 10)) }
    let stored = await service.storedReport(near: .near(54, 10), withinMeters: 25_000)
    #expect(stored?.report.via == "fleet" && server.requests.isEmpty)
  }
}
