// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Weather service with loopback servers", .timeLimit(.minutes(5)))
struct WeatherServiceTests {
  private let fixture: WeatherServiceFixture

  init() throws { fixture = try WeatherServiceFixture() }

  @Test func `the centre of a reduced-accuracy cell is looked up once per quarter-hour`()
    async throws
  {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    let centre = Coordinate.at(54.025, 10.0312)
    // The report nearby is not reused, and the minimum interval does not apply.
    _ = try await service.weather(at: .at(54.03, 10.02))
    for _ in 0..<3 { _ = try await service.weather(atCentreOfCell: centre) }
    #expect(server.requests.count == 2)
    fixture.board.advance(899)
    _ = try await service.weather(atCentreOfCell: centre)
    #expect(server.requests.count == 2)
    // The report is fresh, but the age would reveal when the board entered the cell.
    fixture.board.advance(1)
    _ = try await service.weather(atCentreOfCell: centre)
    #expect(server.requests.count == 3)
    let stored = try #require(await service.storedReport(atCentreOfCell: centre))
    #expect(stored.receivedAt.secondsSince1970 == WeatherServiceFixture.FakeBoard.start + 900)
    #expect(await service.storedReport(atCentreOfCell: .at(54.075, 10.0312)) == nil)
  }

  @Test func `a drive of 300 km sends one request per five kilometres`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    // Drive 20 m/s to the north-east, with a fix every ten seconds.
    for step in 0..<1500 {
      let degrees = Double(step) * 200 / 111_320 * 0.7071
      _ = try await service.weather(at: .near(50.123456 + degrees, 8.654321 + degrees / 0.62))
      fixture.board.advance(10)
    }
    let targets = server.requests.map(LoopbackServer.target)
    #expect((50...66).contains(targets.count), "\(targets.count) requests")
    #expect(Set(targets).count == targets.count, "one cell was requested twice")
  }

  @Test func `a stationary board sends a request only when the report expires`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    for _ in 0..<(6 * 60) {
      _ = try await service.weather(at: .near(54, 10))
      fixture.board.advance(60)
    }
    // In six hours, there is a report every 30 to 33 minutes.
    #expect((10...12).contains(server.requests.count), "\(server.requests.count) requests")
  }

  // The clock of the board starts at 2026-11-21 12:00:00.
  @Test(arguments: ["Thu, 19 Nov 2026", "Sat, 21 Nov 2026", "Mon, 23 Nov 2026"])
  func `the expiry of a report does not depend on the clock of the board`(today: String) async throws {
    let server = fixture.server { _ in
      .answer(
        headers: ["Date: \(today) 12:00:00 GMT", "Expires: \(today) 12:20:00 GMT"],
        WeatherServiceFixture.goodText)
    }
    let service = fixture.service(fixture.openMeteo(server))
    let new = try await service.weather(at: .near(54, 10))
    #expect(new.cachedForSeconds == nil)
    fixture.board.advance(1190)
    let cached = try await service.weather(at: .near(54, 10))
    #expect(server.requests.count == 1 && cached.cachedForSeconds == 1190)
    // The lifetime is extended by up to 10 % of jitter.
    fixture.board.advance(1321 - 1190)
    _ = try await service.weather(at: .near(54, 10))
    #expect(server.requests.count == 2)
  }

  @Test func `the weather service uses the second provider while the first provider fails`()
    async throws
  {
    let isWorking = Mutex(false)
    let first = fixture.server { _ in
      isWorking.withLock { $0 } ? WeatherServiceFixture.good : .answer(status: "500 Oops", "")
    }
    let second = fixture.server { _ in .answer(Fixture.metNorway) }
    let service = fixture.service(fixture.openMeteo(first), try fixture.metNorway(second))
    #expect(try await service.weather(at: .near(54, 10)).provider == "metnorway")
    isWorking.withLock { $0 = true }
    // The minimum interval has not ended for either provider.
    fixture.board.advance(5)
    await #expect(throws: WeatherError.self) { try await service.weather(at: .near(55, 10)) }
    fixture.board.advance(120)
    #expect(try await service.weather(at: .near(56, 10)).provider == "openmeteo")
  }

  @Test func `the stored report and the daily limit survive a restart`() async throws {
    let server = fixture.server()
    let provider = fixture.openMeteo(server)
    for latitude in [50.0, 51] {
      let service = fixture.service(provider, store: fixture.path, dailyBudget: 2)
      _ = try await service.weather(at: .near(latitude, 10))
      fixture.board.advance(120)
    }
    let restarted = fixture.service(provider, store: fixture.path, dailyBudget: 2)
    #expect(try await restarted.weather(at: .near(50, 10)).provider == "openmeteo")
    await #expect(throws: WeatherError.self) { try await restarted.weather(at: .near(52, 10)) }
    #expect(server.requests.count == 2)
  }

  @Test func `after status 304 the weather service returns the stored report`() async throws {
    let stamp = "Sat, 21 Nov 2026 11:30:00 GMT"
    let server = LoopbackServer { head, _ in
      head.contains("If-Modified-Since: \(stamp)")
        ? .answer(status: "304 Not Modified", "")
        : .answer(headers: ["Last-Modified: \(stamp)"], Fixture.metNorway)
    }
    defer { server.stop() }
    let service = fixture.service(try fixture.metNorway(server))
    let first = try await service.weather(at: .near(51.5, -0.13))
    for _ in 0..<3 {
      fixture.board.advance(7 * 3600)
      #expect(try await service.weather(at: .near(51.5, -0.13)).now == first.now)
    }
    #expect(server.requests.count == 4)
    #expect(server.requests.filter { $0.contains("If-Modified-Since: \(stamp)") }.count == 3)
  }

  @Test func `the weather service does not send a refused configuration again`() async throws {
    let server = fixture.server { _ in .answer(status: "403 Forbidden", "no") }
    let service = fixture.service(try fixture.metNorway(server))
    for _ in 0..<3 {
      await #expect(throws: WeatherError.self) { try await service.weather(at: .near(51.5, -0.13)) }
      fixture.board.advance(100_000)
    }
    #expect(server.requests.count == 1)
  }

  @Test func `concurrent lookups for one cell send a single request`() async throws {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    let answers = await withTaskGroup(of: WeatherReport?.self) { group in
      for _ in 0..<10 { group.addTask { try? await service.weather(at: .near(54, 10)) } }
      return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
    }
    #expect(answers == 10)
    #expect(server.requests.count == 1)
  }

  @Test func `programs that share a store together send one request per minute`() async throws {
    let server = fixture.server()
    // Create all services before the first lookup, like programs that start together.
    let services = (0..<4).map { _ in fixture.program(fixture.openMeteo(server)) }
    await withTaskGroup(of: Void.self) { group in
      for (index, service) in services.enumerated() {
        group.addTask { _ = try? await service.weather(at: .near(50 + Double(index), 10)) }
      }
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a program uses a report that another program has stored`() async throws {
    let server = fixture.server()
    let (first, second) = (fixture.program(fixture.openMeteo(server)), fixture.program(fixture.openMeteo(server)))
    _ = try await first.weather(at: .near(54, 10))
    #expect(try await second.weather(at: .near(54, 10)).provider == "openmeteo")
    #expect(server.requests.count == 1)
  }

  @Test func `a pause that a provider requested applies to all programs with the store`()
    async throws
  {
    let server = fixture.server { _ in
      .answer(status: "429 Too Many", headers: ["Retry-After: 3600"], "")
    }
    let (first, second) = (fixture.program(fixture.openMeteo(server)), fixture.program(fixture.openMeteo(server)))
    await #expect(throws: WeatherError.self) { try await first.weather(at: .near(54, 10)) }
    fixture.board.advance(120)
    // The error says that the provider requested a pause, not that a lookup failed.
    await #expect {
      try await second.weather(at: .near(54, 10))
    } throws: {
      "\($0)".hasSuffix(": openmeteo requested a pause")
    }
    let third = fixture.program(fixture.openMeteo(server))
    fixture.board.advance(120)
    await #expect(throws: WeatherError.self) { try await third.weather(at: .near(54, 10)) }
    #expect(server.requests.count == 1)
  }

  @Test func `the weather service counts a request before sending the request`() async throws {
    var silent = LoopbackServer.Script(pieces: [[], []])
    silent.pauseMicroseconds = 30_000_000
    let server = fixture.server { [silent] _ in silent }
    let killed = fixture.program(fixture.openMeteo(server))
    let lookup = Task { try await killed.weather(at: .near(54, 10)) }
    _ = await server.heads.wait(for: 1)
    // The first lookup is still waiting, so its result is not stored yet.
    let next = fixture.service(fixture.openMeteo(server), store: fixture.path, deadline: .milliseconds(600))
    fixture.board.advance(1)
    await #expect(throws: WeatherError.self) { try await next.weather(at: .near(54, 10)) }
    #expect(server.requests.count == 1)
    lookup.cancel()
    _ = await lookup.result
  }

  @Test func `a failure of one server causes no back-off for another server of the same provider`()
    async throws
  {
    let wrong = fixture.server { _ in .answer(status: "500 Oops", "") }
    let right = fixture.server()
    let failing = fixture.program(fixture.openMeteo(wrong))
    await #expect(throws: WeatherError.self) { try await failing.weather(at: .near(54, 10)) }
    let working = fixture.program(fixture.openMeteo(right))
    #expect(try await working.weather(at: .near(54, 10)).provider == "openmeteo")
  }

  @Test func `reports and validators of another server are not used for a lookup`() async throws {
    let stamp = ["Last-Modified: Sat, 21 Nov 2026 11:30:00 GMT"]
    let first = fixture.server { _ in .answer(headers: stamp, Fixture.metNorway) }
    let second = fixture.server { _ in .answer(headers: stamp, Fixture.metNorway) }
    _ = try await fixture.program(try fixture.metNorway(first)).weather(at: .near(51.5, -0.13))
    _ = try await fixture.program(try fixture.metNorway(second)).weather(at: .near(51.5, -0.13))
    #expect(second.requests.count == 1)
    #expect(second.requests.allSatisfy { !$0.contains("If-Modified-Since") })
    // `storedReport` returns reports of all servers.
    let third = fixture.program(fixture.openMeteo(first))
    #expect(await third.storedReport(near: .at(51.5, -0.13), withinMeters: 25_000) != nil)
  }

  @Test func `the stored report near a place is found among many reports at the same latitude`()
    async throws
  {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    for step in 0..<80 {
      _ = try await service.weather(at: .near(54, 10 + Double(step) * 0.1))
      fixture.board.advance(61)
    }
    #expect(await service.storedReport(near: .at(54, 10.01), withinMeters: 3000) != nil)
    // Among reports of similar age, the nearest is returned, also beyond the reuse distance.
    let near = await service.storedReport(near: .at(54, 10.12), withinMeters: 25_000)
    #expect(near?.report.coordinate == .at(54, 10.1))
    let outside = await service.storedReport(near: .at(54.05, 10.12), withinMeters: 25_000)
    #expect(outside?.report.coordinate == .at(54, 10.1))
    fixture.board.advance(4 * 86_400)
    let newest = await service.storedReport(near: .at(54, 10.12), withinMeters: 10_000)
    #expect(newest?.report.coordinate == .at(54, 10.2))
  }

  @Test func `a newer stored report is preferred to an older, slightly nearer report`()
    async throws
  {
    let server = fixture.server()
    let service = fixture.service(fixture.openMeteo(server))
    func preferred() async -> Coordinate? {
      await service.storedReport(near: .at(54.004, 10), withinMeters: 25_000)?.report.coordinate
    }
    _ = try await service.weather(at: .near(54, 10))
    fixture.board.advance(60 * 3600)
    _ = try await service.weather(at: .near(54.02, 10))
    fixture.board.advance(300)
    #expect(await preferred() == .at(54.02, 10))
    // The newer report is preferred even after its expiry.
    fixture.board.advance(2 * 3600)
    #expect(await preferred() == .at(54.02, 10))
    // Of reports less than an hour apart, a fresh report is preferred, otherwise the nearer report.
    _ = try await service.weather(at: .near(54, 10))
    fixture.board.advance(2400)
    _ = try await service.weather(at: .near(54.02, 10))
    #expect(await preferred() == .at(54.02, 10))
    fixture.board.advance(2400)
    #expect(await preferred() == .at(54, 10))
  }

  @Test func `a cancelled lookup does not wait for the running lookup`() async throws {
    var silent = LoopbackServer.Script(pieces: [[], []])
    silent.pauseMicroseconds = 600_000_000
    let server = fixture.server { [silent] _ in silent }
    // The first lookup takes longer than the test.
    let service = fixture.service(fixture.openMeteo(server), deadline: .seconds(3600))
    let first = Task { try await service.weather(at: .near(54, 10)) }
    _ = await server.heads.wait(for: 1)
    let second = Task { () -> WeatherError? in
      do throws(WeatherError) {
        _ = try await service.weather(at: .near(55, 10))
        return nil
      } catch { return error }
    }
    second.cancel()
    #expect(await second.value == .cancelled)
    first.cancel()
    _ = await first.result
  }

  @Test func `an error of the scheduler does not name a failed provider as its source`()
    async throws
  {
    let server = fixture.server { _ in .answer(status: "500 Oops", "") }
    let client = WeatherClient.live(fixture.service(fixture.openMeteo(server)))
    await #expect(throws: WeatherError.self) {
      try await client.weather(.coordinate(.near(54, 10)))
    }
    do throws(WeatherError) {
      _ = try await client.weather(.coordinate(.near(54, 10)))
    } catch {
      guard case .notDue(let seconds, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect((60...121).contains(seconds))
      #expect(
        "\(error)" == "no weather lookup for another \(seconds) s: "
          + "openmeteo failed and is retried after a back-off")
    }
  }
}
