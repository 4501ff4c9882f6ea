// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
public import Positioning

/// A weather provider of the demo's own: Open-Meteo's protocol over real HTTP on loopback.
public struct DemoWeatherServer: Sendable {
  private let now: @Sendable () -> UTCTime

  /// Makes a server that listens to nothing yet.
  ///
  /// - Parameter now: The present time, which the weather depends on.
  public init(now: @escaping @Sendable () -> UTCTime = SystemClock.utcNow) { self.now = now }

  /// Serves on a free port of the loopback interface until cancelled.
  ///
  /// - Parameter ready: Told the base URL once it can be asked.
  /// - Throws: Where no port can be had.
  public func run(ready: @escaping @Sendable (_ baseURL: String) -> Void) async throws {
    let router = Router()
    router.get("v1/forecast") { [now] request, _ -> Response in
      var query: [String: String] = [:]
      for (name, value) in request.uri.queryParameters { query[String(name)] = String(value) }
      do throws(DemoWeatherReply.Refusal) {
        let reply = try DemoWeatherReply(query: query, at: now())
        return Self.response(.ok, (try? reply.json()) ?? [])
      } catch {
        return Self.response(.badRequest, (try? Array(JSONEncoder().encode(error))) ?? [])
      }
    }
    var logger = Logger(label: "fixcast.demo.weather")
    // Being cancelled is how it ends, and no error.
    logger.logLevel = .critical
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        if let port = channel.localAddress?.port { ready("http://127.0.0.1:\(port)") }
      }, logger: logger)
    try await application.run()
  }

  private static func response(_ status: HTTPResponse.Status, _ body: [UInt8]) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
