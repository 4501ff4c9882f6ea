// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Checks that every lookup ends with a report or an expected error within the deadline.
@Suite("Every provider with a loopback server", .timeLimit(.minutes(5)))
struct ProviderConformanceTests {
  private typealias Script = LoopbackServer.Script

  /// Returns the errors of two lookups: one with a fault in the first reply, and one with a fault
  /// in all later replies.
  ///
  /// Set `endsEarly` to `false` if a lookup with this fault ends only at the deadline.
  private func errors(
    _ subject: ProviderCase, endsEarly: Bool = true,
    _ fault: @escaping @Sendable (_ head: String, _ port: UInt16) -> LoopbackServer.Script
  ) async throws -> [WeatherError?] {
    var errors = [
      try await Exchange.result(of: subject, deadlineAfter: endsEarly ? nil : 1, fault).error
    ]
    if subject.answers.count > 1 {
      let later = try await Exchange.result(of: subject, deadlineAfter: endsEarly ? nil : 2) {
        head, port in
        subject.isFirst(head) ? subject.script(head) : fault(head, port)
      }
      errors.append(later.error)
    }
    return errors
  }

  @Test func `the catalogue contains every provider folder once, and ProviderCase every provider`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/WeatherClientLive/Providers")
    let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let providers = WeatherCatalog.providers
    #expect(Set(folders) == Set(providers.map { "\($0)" }))
    #expect(Set(providers.map { $0.name }).count == providers.count)
    #expect(Set(ProviderCase.all.map { $0.type.name }) == Set(providers.map { $0.name }))
    #expect(providers.allSatisfy { WeatherCatalog.provider(named: $0.name) == $0 })
    #expect(WeatherCatalog.provider(named: "nonsense") == nil)
  }

  @Test(arguments: ProviderCase.all)
  func `a valid reply is decoded to the units of this project`(subject: ProviderCase) async throws {
    let result = try await Exchange.result(of: subject) { head, _ in subject.script(head) }
    let report = try result.report()
    let temperature = try #require(report.now.temperatureDegreesCelsius)
    #expect(abs(temperature - (subject.type == OpenMeteo.self ? 11.4 : 11.5)) < 1e-9)
    let wind = try #require(report.now.windSpeedMetersPerSecond)
    #expect(abs(wind - (subject.type == OpenMeteo.self ? 5.1 : 5)) < 1e-9)
    #expect(report.now.condition != nil && report.validAt != nil)
    #expect(!report.days.isEmpty)
    #expect(report.coordinate == .at(51.51, -0.13))
    #expect(report.provider == subject.type.name)
    #expect(report.attribution == subject.type.attribution.text)
    #expect(report.licence?.isEmpty == false && report.licenceURL?.hasPrefix("https") == true)
    #expect(!report.isSimulated && !result.isDeprecated)
  }

  @Test(arguments: ProviderCase.all)
  func `status 429 results in rateLimited, with and without Retry-After`(subject: ProviderCase) async throws {
    for (headers, seconds) in [([], nil), (["Retry-After: 17"], 17)] as [([String], Double?)] {
      let errors = try await errors(subject) { _, _ in
        .answer(status: "429 Too Many Requests", headers: headers, #"{"cod":429}"#)
      }
      for error in errors {
        #expect(error == .rateLimited(retryAfterSeconds: seconds, reason: nil))
      }
    }
  }

  @Test(arguments: ProviderCase.all)
  func `an unsuccessful status causes badStatus, or rateLimited with Retry-After`(subject: ProviderCase) async throws {
    for (status, code) in [("500 Oops", 500), ("503 Busy", 503), ("304 Not Modified", 304)] {
      let errors = try await errors(subject) { _, _ in .answer(status: status, "<html>no</html>") }
      for error in errors { #expect(error == .badStatus(code: code, reason: nil)) }
    }
    let errors = try await errors(subject) { _, _ in
      .answer(status: "503 Busy", headers: ["Retry-After: 5"], "")
    }
    for error in errors { #expect(error == .rateLimited(retryAfterSeconds: 5, reason: nil)) }
  }

  @Test(arguments: ProviderCase.all)
  func `a body that violates the protocol causes malformed or unsupported`(subject: ProviderCase) async throws {
    for body in ["", "<html>Welcome</html>", "[", "7", #""text""#, "null", "\u{0}", "{}"] {
      for error in try await errors(subject, { _, _ in .answer(body) }) {
        switch error {
        // A reply that is an empty object has no grid cell, which results in unsupported.
        case .malformed, .unsupported: break
        default: Issue.record("unexpected result for \(body): \(String(describing: error))")
        }
      }
    }
  }

  @Test(
    arguments: ProviderCase.all,
    [Mutation.numbersBecomeLists, .everythingNull])
  func `a reply with wrong types or only null values causes malformed or unsupported`(
    subject: ProviderCase, mutation: Mutation
  ) async throws {
    let errors = try await errors(subject) { head, _ in
      .answer(mutation.applied(to: subject.body(for: LoopbackServer.target(head)) ?? "{}"))
    }
    for error in errors {
      switch error {
      case .malformed, .unsupported: break
      default: Issue.record("unexpected result: \(String(describing: error))")
      }
    }
  }

  @Test(arguments: ProviderCase.all)
  func `a reply with numbers instead of strings causes malformed`(subject: ProviderCase) async throws {
    let errors = try await errors(subject) { head, _ in
      let body = subject.body(for: LoopbackServer.target(head)) ?? "{}"
      return .answer(Mutation.textsBecomeNumbers.applied(to: body))
    }
    for error in errors {
      switch error {
      case .malformed(let field, let reason):
        #expect(!field.isEmpty && reason == "is not String", "\(field): \(reason)")
      // OpenWeatherMap's status in the body is a string in one reply and a number in the other.
      case .badStatus(7, nil): #expect(subject.type.name == "openweathermap")
      default: Issue.record("unexpected result: \(String(describing: error))")
      }
    }
  }

  @Test(arguments: ProviderCase.all)
  func `a value of -999 is decoded as nil`(subject: ProviderCase) async throws {
    for keepsFirst in [false, true] {
      let result = try await Exchange.result(of: subject) { head, _ in
        let body = subject.body(for: LoopbackServer.target(head)) ?? "{}"
        let keeps = keepsFirst && subject.isFirst(head) && subject.answers.count > 1
        return .answer(keeps ? body : Mutation.numbersMissing.applied(to: body))
      }
      guard let report = try? result.report() else {
        switch result.error {
        case .malformed, .unsupported, .badStatus: continue
        default:
          Issue.record("unexpected result: \(String(describing: result.error))")
          continue
        }
      }
      // The first reply of OpenWeatherMap contains the current weather.
      if subject.type != OpenWeatherMap.self || !keepsFirst {
        #expect(report.now.temperatureDegreesCelsius == nil)
      }
      #expect(report.hours.allSatisfy { $0.weather.temperatureDegreesCelsius == nil })
      #expect(report.days.allSatisfy { $0.lowestTemperatureDegreesCelsius == nil })
      #expect(!"\(report)".contains("999"))
    }
  }

  @Test(arguments: ProviderCase.all)
  func `a reply of 50 MB is cancelled at the size limit`(subject: ProviderCase) async throws {
    let errors = try await errors(subject) { _, _ in
      var script = Script.answer(
        bytes: [UInt8](repeating: 0x20, count: 65_536), contentLength: 50 << 20)
      script.repeatsLast = 800
      return script
    }
    for error in errors { #expect(error == .tooLarge(limitBytes: WeatherHTTP.maximumBytes)) }
  }

  @Test(arguments: ProviderCase.all)
  func `a body of one byte per second is cancelled at the deadline`(subject: ProviderCase) async throws {
    let errors = try await errors(subject, endsEarly: false) { head, _ in
      // The body would take days, so the lookup ends at the deadline.
      var script = Script.answer(bytes: [0x20], contentLength: 1_000_000)
      script.repeatsLast = 100_000
      script.pauseMicroseconds = 1_000_000
      return script
    }
    for error in errors { #expect(error == .timedOut(afterSeconds: 15)) }
  }

  @Test(arguments: ProviderCase.all)
  func `an endless response head is cancelled at the deadline`(subject: ProviderCase) async throws {
    let errors = try await errors(subject, endsEarly: false) { _, _ in
      var script = Script(pieces: [Array("HTTP/1.1 200 OK\r\n".utf8), Array("X: y\r\n".utf8)])
      script.repeatsLast = 100_000
      script.pauseMicroseconds = 1_000_000
      return script
    }
    for error in errors { #expect(error == .timedOut(afterSeconds: 15)) }
  }

  @Test(arguments: ProviderCase.all)
  func `truncated, reset and non-HTTP responses cause network errors`(subject: ProviderCase) async throws {
    for fault in ConnectionFault.allCases {
      let errors = try await errors(subject) { head, _ in
        fault.script(subject.body(for: LoopbackServer.target(head)) ?? "{}")
      }
      for error in errors {
        guard case .network = error else {
          Issue.record("unexpected result for \(fault): \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test(arguments: ProviderCase.all)
  func `a redirect loop results in a network error`(subject: ProviderCase) async throws {
    let errors = try await errors(subject) { head, port in
      .answer(
        status: "302 Found",
        headers: ["Location: http://127.0.0.1:\(port)\(LoopbackServer.target(head))"], "")
    }
    for error in errors { #expect(error == .network("too many redirects")) }
  }

  @Test(arguments: ProviderCase.all)
  func `a redirect on the same host is followed`(subject: ProviderCase) async throws {
    let result = try await Exchange.result(of: subject) { head, _ in
      let target = LoopbackServer.target(head)
      guard target.hasPrefix("/new") else {
        return .answer(status: "301 Moved", headers: ["Location: /new\(target)"], "")
      }
      return subject.script(head.replacing("GET /new", with: "GET "))
    }
    #expect(try result.report().now.temperatureDegreesCelsius != nil)
  }

  @Test(arguments: ProviderCase.all)
  func `a redirect to another host is not followed`(subject: ProviderCase) async throws {
    let other = LoopbackServer { head, _ in subject.script(head) }
    defer { other.stop() }
    for host in ["localhost", "127.0.0.1"] {
      let errors = try await errors(subject) { head, _ in
        .answer(
          status: "307 Elsewhere",
          headers: ["Location: http://\(host):\(other.port)\(LoopbackServer.target(head))"], "")
      }
      for error in errors { #expect(error == .redirected(host: host)) }
    }
    #expect(other.requests.isEmpty)
  }

  @Test(arguments: ProviderCase.all)
  func `a key that the provider quotes is removed from the error`(subject: ProviderCase) async throws {
    for status in ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "429 Slower"] {
      let errors = try await errors(subject) { _, _ in
        .answer(status: status, #"{"message":"\#(ProviderCase.key) is wrong"}"#)
      }
      for error in errors {
        let text = try #require(error).description
        #expect(text.contains("(key) is wrong"), "\(text)")
      }
    }
  }

  @Test(arguments: ProviderCase.all)
  func `2,000 damaged replies result in a report or a WeatherError`(subject: ProviderCase) throws {
    var generator = SeededGenerator(seed: 23)
    let provider = try subject.provider("http://127.0.0.1")
    let cell = WeatherCell(Exchange.coordinate)
    var reports = 0
    for _ in 0..<2000 {
      var replies: [WeatherReply] = []
      do {
        while let request = try provider.request(for: cell, after: replies) {
          var body = Array((subject.body(for: request.target) ?? "{}").utf8)
          for _ in 0..<2 {
            let at = Int.random(in: body.indices, using: &generator)
            body[at] = UInt8.random(in: 0x20...0x7E, using: &generator)
          }
          replies.append(WeatherReply(body: body))
        }
        _ = try provider.decode(replies, for: cell).removingImplausibleValues
        reports += 1
      } catch {}
    }
    #expect(reports > 20, "\(reports)")
  }
}
