// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Weather lookups with a loopback server", .timeLimit(.minutes(5)))
struct WeatherLookupTests {
  private func subject(_ name: String) throws -> ProviderCase {
    try #require(ProviderCase.all.first { $0.type.name == name })
  }

  private let dates = [
    "Date: Mon, 20 Jul 2020 11:20:44 GMT", "Last-Modified: Mon, 20 Jul 2020 11:20:44 GMT",
    "Expires: Mon, 20 Jul 2020 11:52:28 GMT",
  ]

  @Test func `a conditional request to MET Norway sends the stored Last-Modified date`() async throws {
    let server = LoopbackServer { [dates] head, _ in
      head.contains("If-Modified-Since: Mon, 20 Jul 2020 11:20:44 GMT\r\n")
        ? .answer(
          status: "304 Not Modified",
          headers: [
            "Date: Mon, 20 Jul 2020 12:00:00 GMT", "Expires: Mon, 20 Jul 2020 12:30:00 GMT",
          ], "") : .answer(headers: dates, Fixture.metNorway)
    }
    defer { server.stop() }
    let provider = try subject("metnorway").provider(server.baseURL)
    let lookup = Exchange.lookup()
    let first = await lookup.ask(provider, at: Exchange.coordinate)
    #expect(try first.report().expiresAt == ProviderTime.http("Mon, 20 Jul 2020 11:52:28 GMT"))
    let validator = try #require(first.validator)
    #expect(validator.lastModified == "Mon, 20 Jul 2020 11:20:44 GMT")
    let second = await lookup.ask(provider, at: Exchange.coordinate, validator: validator)
    #expect(
      second.outcome
        == .notModified(expiresAt: ProviderTime.http("Mon, 20 Jul 2020 12:30:00 GMT")))
    #expect(second.validator == validator && second.requestCount == 1)
    #expect(server.requests.first?.contains("If-Modified-Since") == false)
  }

  @Test func `the lifetime of a reply is limited to a day and reduced by the Age header`() async throws {
    let result = try await Exchange.result(of: subject("metnorway")) { _, _ in
      .answer(
        headers: [
          "Date: Mon, 20 Jul 2020 11:20:44 GMT", "Expires: Mon, 20 Jul 2099 11:52:28 GMT",
        ], Fixture.metNorway)
    }
    #expect(try result.report().expiresAt == ProviderTime.http("Tue, 21 Jul 2020 11:20:44 GMT"))
    let aged = try await Exchange.result(of: subject("metnorway")) { _, _ in
      .answer(
        headers: [
          "Date: Mon, 20 Jul 2020 11:20:44 GMT", "Cache-Control: public, max-age=600", "Age: 60",
        ], Fixture.metNorway)
    }
    #expect(try aged.report().expiresAt == ProviderTime.http("Mon, 20 Jul 2020 11:29:44 GMT"))
    let kept = try await Exchange.result(of: subject("metnorway")) { [dates] _, _ in
      .answer(headers: dates + ["Age: 60"], Fixture.metNorway)
    }
    #expect(try kept.report().expiresAt == ProviderTime.http("Mon, 20 Jul 2020 11:51:28 GMT"))
  }

  @Test func `a reply with status 203 is used, and the deprecation is reported`() async throws {
    let result = try await Exchange.result(of: subject("metnorway")) { _, _ in
      .answer(status: "203 Non-Authoritative Information", Fixture.metNorway)
    }
    #expect(result.isDeprecated)
    #expect(try result.report().now.temperatureDegreesCelsius == 11.5)

    let server = LoopbackServer { _, _ in
      .answer(status: "203 Non-Authoritative Information", Fixture.metNorway)
    }
    defer { server.stop() }
    let notices = EventRecorder<String>()
    let service = WeatherService(
      sources: [WeatherService.Source(try subject("metnorway").provider(server.baseURL))],
      storePath: nil, lookup: Exchange.lookup(), notice: notices.record)
    _ = try await service.weather(at: Exchange.coordinate)
    #expect(notices.events == ["metnorway reports that its API version is deprecated"])
  }

  @Test(arguments: ["metnorway", "pirateweather"])
  func `a lookup does not send a refused configuration again, but sends a changed configuration`(name: String)
    async throws
  {
    let server = LoopbackServer { _, _ in .answer(status: "403 Forbidden", "<html>no</html>") }
    defer { server.stop() }
    let subject = try subject(name)
    let lookup = Exchange.lookup()
    let provider = try subject.provider(server.baseURL)
    for count in [1, 0, 0] {
      let result = await lookup.ask(provider, at: Exchange.coordinate)
      #expect(result.error == .refused(reason: "403"))
      #expect(result.requestCount == count)
    }
    let other = try subject.provider(server.baseURL, contact: "you@example.org")
    #expect(await lookup.ask(other, at: Exchange.coordinate).requestCount == 1)
    #expect(server.requests.count == 2)
    #expect(provider.configuration.fingerprint != other.configuration.fingerprint)
  }

  @Test func `a provider without its required key or contact cannot be created`() throws {
    let nothing = WeatherProviderConfiguration()
    for name in ["metnorway", "pirateweather", "openweathermap"] {
      let type = try #require(WeatherCatalog.provider(named: name))
      #expect(throws: WeatherError.self) { try type.init(nothing) }
    }
    for name in ["openmeteo", "nws"] {
      let type = try #require(WeatherCatalog.provider(named: name))
      #expect(throws: Never.self) { try type.init(nothing) }
    }
  }

  @Test func `descriptions of configurations and requests do not contain the key`() {
    let configuration = WeatherProviderConfiguration(key: "hunter2", contact: "me")
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped] {
      #expect(!text.contains("hunter2"), "\(text)")
    }
    #expect(!configuration.fingerprint.contains("hunter2"))
    let request = WeatherRequest(path: "/forecast/hunter2/1,2")
    #expect(!"\(request)".contains("hunter2"))
  }

  @Test func `the NWS grid cell of a point is cached for a week, and removed after a failed lookup`() async throws {
    let subject = try subject("nws")
    let failing = Mutex(false)
    let server = LoopbackServer { head, _ in
      failing.withLock { $0 } && !subject.isFirst(head)
        ? .answer(status: "404 Not Found", "{}") : subject.script(head)
    }
    defer { server.stop() }
    let uptime = Uptime()
    let lookup = WeatherLookup(
      deadline: Exchange.longDeadline, http: Exchange.http, uptime: { uptime.now })
    let provider = try subject.provider(server.baseURL)
    #expect(await lookup.ask(provider, at: Exchange.coordinate).requestCount == 5)
    #expect(await lookup.ask(provider, at: Exchange.coordinate).requestCount == 3)
    // Another point of the same grid cell has the same stations.
    #expect(await lookup.ask(provider, at: .at(51.52, -0.13)).requestCount == 4)
    uptime.advance(seconds: 7 * 86_400)
    #expect(await lookup.ask(provider, at: Exchange.coordinate).requestCount == 5)
    failing.withLock { $0 = true }
    #expect(await lookup.ask(provider, at: Exchange.coordinate).error != nil)
    failing.withLock { $0 = false }
    #expect(await lookup.ask(provider, at: Exchange.coordinate).requestCount == 5)
    #expect(server.requests.allSatisfy { !$0.contains("elsewhere.invalid") })
  }

  @Test func `the NWS raw grid is used if the hourly forecast fails`() async throws {
    let subject = try subject("nws")
    let result = try await Exchange.result(of: subject) { head, _ in
      head.contains("/hourly") || head.contains("/stations")
        ? .answer(status: "500 Oops", "") : subject.script(head)
    }
    let report = try result.report()
    #expect(report.now.temperatureDegreesCelsius == 11.5)
    #expect(report.now.precipitationMillimeters == 0.5)
    #expect(report.hours.count == 168)
    #expect(report.hours[1].weather.condition == .lightRainShowers)
    #expect(report.hours[2].weather.temperatureDegreesCelsius == 13)
    #expect(report.hours[3].weather.temperatureDegreesCelsius == nil)
    #expect(result.requestCount == 4 && report.kind == .forecast)
  }

  @Test func `the NWS current weather is from a recent observation nearby, otherwise from the forecast`() async throws {
    let subject = try subject("nws")
    let report = try await Exchange.result(of: subject) { head, _ in subject.script(head) }.report()
    #expect(report.kind == .observed)
    #expect(report.validAt == ProviderTime.iso("2026-11-21T11:50:00Z")?.utc)
    #expect(report.now.pressureSeaLevelHectopascals == 1012.5)
    #expect(report.now.condition == .overcast)
    #expect(report.hours.count == 2 && report.days.count == 1)
    for (path, body, count) in [
      ("/stations", Fixture.nwsStations.replacing("51.505", with: "51.8"), 4),
      ("/stations", Fixture.nwsStations.replacing("EGLC", with: "../x"), 4),
      ("/stations", #"{"features":[]}"#, 4), ("/stations", "<html>", 4),
      ("/latest", Fixture.nwsObservation.replacing("T11:50", with: "T09:50"), 5),
      ("/latest", Fixture.nwsObservation.replacing("11.5}", with: "null}"), 5),
      ("/latest", "<html>", 5),
    ] {
      let result = try await Exchange.result(of: subject) { head, _ in
        LoopbackServer.target(head).hasSuffix(path) ? .answer(body) : subject.script(head)
      }
      let report = try result.report()
      #expect(report.kind == .forecast && report.now.condition == .thunderstorm)
      #expect(result.requestCount == count, "\(body)")
    }
    let reset = try await Exchange.result(of: subject) { head, _ in
      head.contains("/stations")
        ? LoopbackServer.Script(pieces: [], resets: true) : subject.script(head)
    }
    #expect(try reset.report().kind == .forecast)
  }

  @Test func `coordinates are rounded to the configured grid or the provider's, whichever is coarser`() async throws {
    for (name, decimals, latitude) in [
      ("metnorway", 1, "lat=51.5&"), ("metnorway", 9, "lat=51.5074&"),
      ("openmeteo", 9, "latitude=51.51&"), ("openmeteo", 0, "latitude=52&"),
    ] {
      let subject = try subject(name)
      let type = subject.type
      let server = LoopbackServer(gridDecimals: min(decimals, type.maxGridDecimals)) { head, _ in
        subject.script(head)
      }
      defer { server.stop() }
      let provider = try type.init(
        WeatherProviderConfiguration(
          baseURL: server.baseURL, contact: "me", gridDecimals: decimals))
      _ = await Exchange.lookup().ask(provider, at: Exchange.coordinate)
      #expect(server.requests.first?.contains(latitude) == true, "\(name) \(decimals)")
    }
  }

  @Test func `the result of a cancelled lookup contains the number of requests`() async throws {
    let subject = try subject("openmeteo")
    let server = LoopbackServer { _, _ in
      var script = LoopbackServer.Script.answer(bytes: [0x20], contentLength: 1000)
      script.repeatsLast = 1000
      script.pauseMicroseconds = 1_000_000
      return script
    }
    defer { server.stop() }
    let provider = try subject.provider(server.baseURL)
    let lookup = Exchange.lookup()
    let task = Task { await lookup.ask(provider, at: Exchange.coordinate) }
    await server.heads.wait(for: 1)
    task.cancel()
    let result = await task.value
    #expect(result.error == .cancelled && result.requestCount == 1)
  }

  @Test func `the deadline of a weather lookup uses the given clock`() async throws {
    let subject = try subject("openweathermap")
    let server = LoopbackServer { head, _ in
      if subject.isFirst(head) { return subject.script(head) }
      return LoopbackServer.Script(pieces: [[], []], pauseMicroseconds: 60_000_000)
    }
    defer { server.stop() }
    let clock = ManualClock()
    let lookup = WeatherLookup(deadline: .seconds(15), http: Exchange.http, clock: clock)
    let provider = try subject.provider(server.baseURL)
    async let result = lookup.ask(provider, at: Exchange.coordinate)
    await clock.waitForSleepers(1)
    await server.heads.wait(for: 2)
    clock.advance(by: .seconds(15))
    let outcome = await result
    #expect(outcome.error == .timedOut(afterSeconds: 15) && outcome.requestCount == 2)
  }
}

/// A manual clock.
private final class Uptime: Sendable {
  private let nanoseconds = Mutex<Int64>(0)
  var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.withLock { $0 }) }
  func advance(seconds: Int64) { nanoseconds.withLock { $0 += seconds * 1_000_000_000 } }
}
