// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import WeatherClient

/// Fetches answers for every provider, within bounds of time and size.
struct WeatherHTTP: Sendable {
  struct Answer: Equatable, Sendable {
    var status: Int
    var retryAfterSeconds: Double?
    var body: [UInt8]
  }

  /// How long the whole of an answer may take, from the first packet out to the last byte in.
  var deadline: Duration = .seconds(15)
  /// How large an answer may be, unpacked.
  var limitBytes = maximumBytes
  /// Who asks: providers block programs that do not say.
  var userAgent = "fixcast/0.1"
  /// What the deadline is measured by.
  var clock: any Clock<Duration> = ContinuousClock()

  static let maximumBytes = 1 << 20

  /// One client for the life of the process: it has connections and threads to share, and nobody
  /// whose end would be the moment to shut it down.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .follow(max: 3, allowCycles: false),
      timeout: .init(connect: .seconds(5), read: .seconds(10)),
      // The unpacked size is what counts: a megabyte of zeros packs into a kilobyte.
      decompression: .enabled(limit: .size(maximumBytes)))
    configuration.httpVersion = .http1Only
    // Refused is an answer: the next lookup tries again, not this one until its deadline.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.idleTimeout = .seconds(5)
    return HTTPClient(
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }()

  /// Fetches an answer, whatever its status.
  ///
  /// - Parameter url: What to ask.
  /// - Returns: The answer.
  /// - Throws: `network`, `timedOut`, `tooLarge`, `misconfigured` or `cancelled`.
  func get(_ url: String) async throws(WeatherError) -> Answer {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "User-Agent", value: userAgent)
    request.headers.add(name: "Accept", value: "application/json")
    let tell = RequestObservation.observer?()
    // The client's own timeout covers the head only: a server that drips its body would hold it
    // for ever.
    let fetched = await withTaskGroup(of: Fetched?.self) { group in
      group.addTask { [request] in await fetch(request) }
      group.addTask { [clock, deadline] in
        try? await clock.sleep(for: deadline)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    if Task.isCancelled { throw .cancelled }
    guard let fetched else {
      tell?(.upstreamDead(cause: "no answer in \(deadline)"))
      throw .timedOut(afterSeconds: deadline / .seconds(1))
    }
    if let outcome = fetched.outcome { tell?(outcome) }
    return try fetched.result.get()
  }

  /// An answer or why there is none, and what that says of the path.
  private struct Fetched: Sendable {
    var result: Result<Answer, WeatherError>
    var outcome: PathVerifier.Outcome?
  }

  private func fetch(_ request: HTTPClientRequest) async -> Fetched {
    do {
      let response = try await Self.client.execute(request, deadline: .distantFuture)
      let body = try await response.body.collect(upTo: limitBytes)
      let answer = Answer(
        status: Int(response.status.code),
        retryAfterSeconds: response.headers.first(name: "Retry-After").flatMap(Double.init)
          .flatMap { $0 >= 0 && $0.isFinite ? $0 : nil },
        body: Array(body.readableBytesView))
      return Fetched(
        result: .success(answer),
        outcome: PathVerifier.Outcome(status: answer.status, body: answer.body))
    } catch is NIOTooManyBytesError {
      return Fetched(result: .failure(.tooLarge(limitBytes: limitBytes)))
    } catch NIOHTTPDecompression.DecompressionError.limit {
      let limit = min(limitBytes, Self.maximumBytes)
      return Fetched(result: .failure(.tooLarge(limitBytes: limit)))
    } catch {
      return Fetched(
        result: .failure(Self.meaning(of: error)), outcome: PathVerifier.Outcome(error))
    }
  }

  private static func meaning(of error: any Error) -> WeatherError {
    if error is CancellationError { return .cancelled }
    guard let error = error as? HTTPClientError else {
      return .network(String(describing: error))
    }
    return switch error {
    case .invalidURL, .emptyHost, .emptyScheme: .misconfigured("no URL to ask")
    case .cancelled: .cancelled
    default: .network(error.shortDescription)
    }
  }
}
