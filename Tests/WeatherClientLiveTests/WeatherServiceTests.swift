// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Weather service over real servers", .timeLimit(.minutes(5)))
struct WeatherServiceTests {
  /// Both clocks of a board, moved by hand, and its disk.
  private final class Board: Sendable {
    private let seconds = Mutex<Int64>(0)
    static let start: Int64 = 1_795_262_400
    let folder: ScratchFolder

    init(folder: consuming ScratchFolder) { self.folder = folder }

    var now: BootTimestamp {
      seconds.withLock {
        BootTimestamp(utcSeconds: Self.start + $0, bootSeconds: 1000 + $0, boot: "boot")
      }
    }

    func advance(_ more: Int64) { seconds.withLock { $0 += more } }
  }

  private static let goodText = """
    {"latitude":54,"longitude":10,"utc_offset_seconds":0,
    "current_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
    "current":{"time":1795262400,"interval":900,"temperature_2m":11.5}}
    """
  private static let good = LoopbackServer.Script.answer(goodText)

  private let board: Board
  private var path: String { board.folder.path + "/weather.sqlite" }

  init() throws { board = Board(folder: try ScratchFolder()) }

  private func openMeteo(_ server: LoopbackServer) -> OpenMeteo {
    OpenMeteo(WeatherProviderConfiguration(baseURL: server.baseURL))
  }

  private func metNorway(_ server: LoopbackServer) throws -> METNorway {
    try METNorway(
      WeatherProviderConfiguration(baseURL: server.baseURL, contact: "https://example.invalid"))
  }

  private func service(
    _ providers: any WeatherProvider..., store: String? = nil, dailyBudget: Int = 500,
    deadline: Duration = .seconds(10),
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) -> WeatherService {
    WeatherService(
      sources: providers.map { WeatherService.Source($0, dailyBudget: dailyBudget) },
      storePath: store, lookup: WeatherLookup(deadline: deadline),
      now: { [board] in board.now }, generator: SeededGenerator(seed: 1), notice: notice)
  }

  /// One of the programs that share a store.
  private func program(_ provider: any WeatherProvider) -> WeatherService {
    service(provider, store: path)
  }

  @Test func `the middle of a cell is asked for itself, once a quarter of an hour`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let service = service(openMeteo(server))
    let middle = Coordinate.at(54.025, 10.0312)
    // A report for a place nearby is not told in its place, and is no reason to wait.
    _ = try await service.weather(at: .at(54.03, 10.02))
    for _ in 0..<3 { _ = try await service.weather(atMiddleOfCell: middle) }
    #expect(server.requests.count == 2)
    board.advance(899)
    _ = try await service.weather(atMiddleOfCell: middle)
    #expect(server.requests.count == 2)
    // It would stand for half an hour, and tell since when the board has been in the cell.
    board.advance(1)
    _ = try await service.weather(atMiddleOfCell: middle)
    #expect(server.requests.count == 3)
    let stored = try #require(await service.storedReport(atMiddleOfCell: middle))
    #expect(stored.receivedAt.secondsSince1970 == Board.start + 900)
    #expect(await service.storedReport(atMiddleOfCell: .at(54.075, 10.0312)) == nil)
  }

  @Test func `a drive of 300 km asks every five kilometres, and for cells only`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let service = service(openMeteo(server))
    // 20 m/s to the north-east, a fix every ten seconds.
    for step in 0..<1500 {
      let way = Double(step) * 200 / 111_320 * 0.7071
      _ = try await service.weather(at: .near(50.123456 + way, 8.654321 + way / 0.62))
      board.advance(10)
    }
    let asked = server.requests.map(LoopbackServer.target)
    #expect((50...66).contains(asked.count), "\(asked.count) requests")
    #expect(Set(asked).count == asked.count, "one cell was asked for twice")
  }

  @Test func `a board that stands asks when the report is over, and no sooner`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let service = service(openMeteo(server))
    for _ in 0..<(6 * 60) {
      _ = try await service.weather(at: .near(54, 10))
      board.advance(60)
    }
    // Six hours, half an hour each and up to a tenth more.
    #expect((10...12).contains(server.requests.count), "\(server.requests.count) requests")
  }

  // 2026-11-21 12:00:00 by the board, when it begins.
  @Test(arguments: ["Thu, 19 Nov 2026", "Sat, 21 Nov 2026", "Mon, 23 Nov 2026"])
  func `a report stands as long as its provider says, whatever the board's clock`(
    today: String
  ) async throws {
    let server = LoopbackServer { _ in
      .answer(
        headers: ["Date: \(today) 12:00:00 GMT", "Expires: \(today) 12:20:00 GMT"], Self.goodText)
    }
    defer { server.stop() }
    let service = service(openMeteo(server))
    let new = try await service.weather(at: .near(54, 10))
    #expect(new.keptSeconds == nil)
    board.advance(1190)
    let kept = try await service.weather(at: .near(54, 10))
    #expect(server.requests.count == 1 && kept.keptSeconds == 1190)
    // A tenth more, so that a fleet does not ask together.
    board.advance(1321 - 1190)
    _ = try await service.weather(at: .near(54, 10))
    #expect(server.requests.count == 2)
  }

  @Test func `the next provider answers where the first fails, which then comes first again`()
    async throws
  {
    let isWell = Mutex(false)
    let first = LoopbackServer { _ in
      isWell.withLock { $0 } ? Self.good : .answer(status: "500 Oops", "")
    }
    let second = LoopbackServer { _ in .answer(Fixture.metNorway) }
    defer { [first, second].forEach { $0.stop() } }
    let service = service(openMeteo(first), try metNorway(second))
    #expect(try await service.weather(at: .near(54, 10)).provider == "metnorway")
    isWell.withLock { $0 = true }
    // Both have just been asked.
    board.advance(5)
    await #expect(throws: WeatherError.self) { try await service.weather(at: .near(55, 10)) }
    board.advance(120)
    #expect(try await service.weather(at: .near(56, 10)).provider == "openmeteo")
  }

  @Test func `after a restart the report and the budget are still there`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let provider = openMeteo(server)
    for latitude in [50.0, 51] {
      let service = service(provider, store: path, dailyBudget: 2)
      _ = try await service.weather(at: .near(latitude, 10))
      board.advance(120)
    }
    let restarted = service(provider, store: path, dailyBudget: 2)
    #expect(try await restarted.weather(at: .near(50, 10)).provider == "openmeteo")
    await #expect(throws: WeatherError.self) { try await restarted.weather(at: .near(52, 10)) }
    #expect(server.requests.count == 2)
  }

  @Test func `a report that still stands costs an answer of no bytes`() async throws {
    let stamp = "Sat, 21 Nov 2026 11:30:00 GMT"
    let server = LoopbackServer { head, _ in
      head.contains("If-Modified-Since: \(stamp)")
        ? .answer(status: "304 Not Modified", "")
        : .answer(headers: ["Last-Modified: \(stamp)"], Fixture.metNorway)
    }
    defer { server.stop() }
    let service = service(try metNorway(server))
    let first = try await service.weather(at: .near(51.5, -0.13))
    for _ in 0..<3 {
      board.advance(7 * 3600)
      #expect(try await service.weather(at: .near(51.5, -0.13)).now == first.now)
    }
    #expect(server.requests.count == 4)
    #expect(server.requests.filter { $0.contains("If-Modified-Since: \(stamp)") }.count == 3)
  }

  @Test func `a refusal of the configuration is told, and nobody is asked again`() async throws {
    let server = LoopbackServer { _ in .answer(status: "403 Forbidden", "no") }
    defer { server.stop() }
    let service = service(try metNorway(server))
    for _ in 0..<3 {
      await #expect(throws: WeatherError.self) { try await service.weather(at: .near(51.5, -0.13)) }
      board.advance(100_000)
    }
    #expect(server.requests.count == 1)
  }

  @Test func `lookups at the same time ask one after another, and one cell once`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let service = service(openMeteo(server))
    let answers = await withTaskGroup(of: WeatherReport?.self) { group in
      for _ in 0..<10 { group.addTask { try? await service.weather(at: .near(54, 10)) } }
      return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
    }
    #expect(answers == 10)
    #expect(server.requests.count == 1)
  }

  @Test func `programs that share a store ask once in a minute between them`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    // All are there before the first asks, as programs are that start together.
    let services = (0..<4).map { _ in program(openMeteo(server)) }
    await withTaskGroup(of: Void.self) { group in
      for (index, service) in services.enumerated() {
        group.addTask { _ = try? await service.weather(at: .near(50 + Double(index), 10)) }
      }
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a program takes the report that another has just stored`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let (one, other) = (program(openMeteo(server)), program(openMeteo(server)))
    _ = try await one.weather(at: .near(54, 10))
    #expect(try await other.weather(at: .near(54, 10)).provider == "openmeteo")
    #expect(server.requests.count == 1)
  }

  @Test func `what one program learned of a provider no other forgets`() async throws {
    let server = LoopbackServer { _ in
      .answer(status: "429 Too Many", headers: ["Retry-After: 3600"], "")
    }
    defer { server.stop() }
    let (one, other) = (program(openMeteo(server)), program(openMeteo(server)))
    await #expect(throws: WeatherError.self) { try await one.weather(at: .near(54, 10)) }
    board.advance(120)
    // Whose wish it is, and that nothing has failed.
    await #expect {
      try await other.weather(at: .near(54, 10))
    } throws: {
      "\($0)".hasSuffix(": openmeteo requested a pause")
    }
    let third = program(openMeteo(server))
    board.advance(120)
    await #expect(throws: WeatherError.self) { try await third.weather(at: .near(54, 10)) }
    #expect(server.requests.count == 1)
  }

  @Test func `a request counts from before it goes out, so that a kill does not undo it`()
    async throws
  {
    var silent = LoopbackServer.Script(pieces: [[], []])
    silent.pauseMicroseconds = 30_000_000
    let server = LoopbackServer { [silent] _ in silent }
    defer { server.stop() }
    let killed = program(openMeteo(server))
    let lookup = Task { try await killed.weather(at: .near(54, 10)) }
    _ = await server.heads.wait(for: 1)
    // While the first still waits: nothing has been written after its request.
    let next = service(openMeteo(server), store: path, deadline: .milliseconds(600))
    board.advance(1)
    await #expect(throws: WeatherError.self) { try await next.weather(at: .near(54, 10)) }
    #expect(server.requests.count == 1)
    lookup.cancel()
    _ = await lookup.result
  }

  @Test func `a server that failed is no reason to leave another of the same name alone`()
    async throws
  {
    let wrong = LoopbackServer { _ in .answer(status: "500 Oops", "") }
    let right = LoopbackServer { _ in Self.good }
    defer { [wrong, right].forEach { $0.stop() } }
    let failing = program(openMeteo(wrong))
    await #expect(throws: WeatherError.self) { try await failing.weather(at: .near(54, 10)) }
    let mended = program(openMeteo(right))
    #expect(try await mended.weather(at: .near(54, 10)).provider == "openmeteo")
  }

  @Test func `only a report of a server that is asked stands, and only it is told its validator`()
    async throws
  {
    let stamp = ["Last-Modified: Sat, 21 Nov 2026 11:30:00 GMT"]
    let one = LoopbackServer { _ in .answer(headers: stamp, Fixture.metNorway) }
    let other = LoopbackServer { _ in .answer(headers: stamp, Fixture.metNorway) }
    defer { [one, other].forEach { $0.stop() } }
    _ = try await program(try metNorway(one)).weather(at: .near(51.5, -0.13))
    _ = try await program(try metNorway(other)).weather(at: .near(51.5, -0.13))
    #expect(other.requests.count == 1)
    #expect(other.requests.allSatisfy { !$0.contains("If-Modified-Since") })
    // As a forecast for want of better it is anybody's.
    let third = program(openMeteo(one))
    #expect(await third.storedReport(near: .at(51.5, -0.13), withinMeters: 25_000) != nil)
  }

  @Test func `the report of home is found after a long drive along its latitude`() async throws {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let service = service(openMeteo(server))
    for step in 0..<80 {
      _ = try await service.weather(at: .near(54, 10 + Double(step) * 0.1))
      board.advance(61)
    }
    #expect(await service.storedReport(near: .at(54, 10.01), withinMeters: 3000) != nil)
    // Of the same hour the nearest, also where none is within reach, as long as forecasts last.
    let near = await service.storedReport(near: .at(54, 10.12), withinMeters: 25_000)
    #expect(near?.report.coordinate == .at(54, 10.1))
    let outside = await service.storedReport(near: .at(54.05, 10.12), withinMeters: 25_000)
    #expect(outside?.report.coordinate == .at(54, 10.1))
    board.advance(4 * 86_400)
    let newest = await service.storedReport(near: .at(54, 10.12), withinMeters: 10_000)
    #expect(newest?.report.coordinate == .at(54, 10.2))
  }

  @Test func `an old report does not stand before a newer one that is hardly farther away`()
    async throws
  {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let service = service(openMeteo(server))
    func told() async -> Coordinate? {
      await service.storedReport(near: .at(54.004, 10), withinMeters: 25_000)?.report.coordinate
    }
    _ = try await service.weather(at: .near(54, 10))
    board.advance(60 * 3600)
    _ = try await service.weather(at: .near(54.02, 10))
    board.advance(300)
    #expect(await told() == .at(54.02, 10))
    // No more does it once the newer one stands no longer.
    board.advance(2 * 3600)
    #expect(await told() == .at(54.02, 10))
    // Of two from the same hour it is the nearer, unless the other alone stands.
    _ = try await service.weather(at: .near(54, 10))
    board.advance(2400)
    _ = try await service.weather(at: .near(54.02, 10))
    #expect(await told() == .at(54.02, 10))
    board.advance(2400)
    #expect(await told() == .at(54, 10))
  }

  @Test func `whoever waits for another's lookup and is cancelled waits no longer`() async throws {
    var silent = LoopbackServer.Script(pieces: [[], []])
    silent.pauseMicroseconds = 600_000_000
    let server = LoopbackServer { [silent] _ in silent }
    defer { server.stop() }
    // The first goes on for longer than the test.
    let service = service(openMeteo(server), deadline: .seconds(3600))
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

  @Test func `a rule of our own is not told as the provider's`() async throws {
    let server = LoopbackServer { _ in .answer(status: "500 Oops", "") }
    defer { server.stop() }
    let client = WeatherClient.live(service(openMeteo(server)))
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

  @Test func `the client of a service knows places, and asks for them by their coordinate`()
    async throws
  {
    let server = LoopbackServer { _ in Self.good }
    defer { server.stop() }
    let client = WeatherClient.live(service(openMeteo(server)))
    let place = try #require(try await client.searchLocations(.at(54.32, 10.13)).first)
    #expect(try await client.weather(.place(place.id)).provider == "openmeteo")
    #expect(server.requests.count == 1)
  }
}
