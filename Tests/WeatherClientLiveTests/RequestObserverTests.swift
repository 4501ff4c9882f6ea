// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Request observer", .timeLimit(.minutes(5)))
struct RequestObserverTests {
  private static let target = WeatherTarget.coordinate(.near(54, 10))

  /// Returns the outcomes that a lookup reports, and the number of calls of the observer.
  private func outcomes(
    _ provider: OpenMeteo, deadline: Duration = .seconds(50)
  ) async -> (outcomes: [PathVerifier.Outcome], begun: Int, isAnswered: Bool) {
    let (begun, reported) = (EventRecorder<Void>(), EventRecorder<PathVerifier.Outcome>())
    let client = WeatherClient.openMeteo(provider, lookup: Exchange.lookup(deadline)).observed {
      begun.record(())
      return { reported.record($0) }
    }
    let answer = try? await client.weather(Self.target)
    return (reported.events, begun.events.count, answer != nil)
  }

  @Test func `a request observer gets verified for a JSON reply, and portal for an HTML page`() async {
    let page = "\u{FEFF}\r\n <!DOCTYPE html><html>Log in</html>"
    let cases: [(LoopbackServer.Script, PathVerifier.Outcome?)] = [
      (.answer(#"{"latitude":54,"longitude":10}"#), .verified),
      (.answer(status: "400 Bad Request", #" {"error":true,"reason":"x"}"#), .verified),
      (.answer(status: "429 Too Many Requests", #"{"error":true}"#), .verified),
      (.answer(page), .portal(statusCode: 200)),
      (.answer(status: "511 Network Authentication Required", page), .portal(statusCode: 511)),
      // The page may come from the provider or a portal, so no outcome is reported.
      (.answer(status: "403 Forbidden", page), nil),
      (.answer("OK"), nil), (.answer(""), nil),
      (.answer(status: "502 Bad Gateway", page), .upstreamDead(cause: "answered 502")),
      (
        .answer(status: "302 Found", headers: ["Location: /login"], page),
        .portal(statusCode: nil)
      ),
    ]
    for (index, (script, outcome)) in cases.enumerated() {
      let server = LoopbackServer { _ in script }
      defer { server.stop() }
      let (outcomes, begun, _) = await outcomes(OpenMeteo(baseURL: server.baseURL))
      #expect(outcomes == (outcome.map { [$0] } ?? []), "case \(index)")
      #expect(begun == 1)
    }
  }

  @Test func `a request observer gets upstreamDead for a refused connection and for a silent server`() async throws {
    let port = try ReservedPort()
    defer { port.release() }
    let refused = await outcomes(OpenMeteo(baseURL: "http://127.0.0.1:\(port.number)"))
    #expect(refused.outcomes == [.upstreamDead(cause: "Connection refused")])
    let silent = LoopbackServer { _ in
      LoopbackServer.Script(pieces: [[], []], pauseMicroseconds: 120_000_000)
    }
    defer { silent.stop() }
    let late = await outcomes(
      OpenMeteo(baseURL: silent.baseURL), deadline: .seconds(2))
    #expect(late.outcomes == [.upstreamDead(cause: "no answer in 2.0 seconds")])
    // A server is reachable if it sends the head of a response.
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".utf8)
    let dripping = LoopbackServer { _ in
      LoopbackServer.Script(pieces: [head, [0x7B]], pauseMicroseconds: 120_000_000)
    }
    defer { dripping.stop() }
    // The deadline is long enough for the head to arrive on a machine that stops for seconds.
    let slow = await outcomes(OpenMeteo(baseURL: dripping.baseURL), deadline: .seconds(10))
    #expect(slow.outcomes.isEmpty && slow.begun == 1 && !slow.isAnswered)
    let short = LoopbackServer { _ in .answer(bytes: [0x7B], contentLength: 100) }
    defer { short.stop() }
    #expect(await outcomes(OpenMeteo(baseURL: short.baseURL)).outcomes.isEmpty)
    let withoutHost = await outcomes(OpenMeteo(baseURL: "http://"))
    #expect(withoutHost.outcomes.isEmpty)
  }

  @Test func `a request observer gets no outcome of a cancelled lookup or of other clients`() async {
    let silent = LoopbackServer { _ in
      LoopbackServer.Script(pieces: [[], []], pauseMicroseconds: 120_000_000)
    }
    defer { silent.stop() }
    let (begun, reported) = (EventRecorder<Void>(), EventRecorder<PathVerifier.Outcome>())
    let plain = WeatherClient.openMeteo(OpenMeteo(baseURL: silent.baseURL))
    let client = plain.observed {
      begun.record(())
      return { reported.record($0) }
    }
    let lookup = Task { try? await client.weather(Self.target) }
    await begun.wait(for: 1)
    lookup.cancel()
    _ = await lookup.value
    #expect(reported.events.isEmpty)
    let server = LoopbackServer { _ in .answer(#"{"latitude":54,"longitude":10}"#) }
    defer { server.stop() }
    _ = try? await WeatherClient.openMeteo(OpenMeteo(baseURL: server.baseURL)).weather(Self.target)
    #expect(begun.events.count == 1 && reported.events.isEmpty)
  }
}
