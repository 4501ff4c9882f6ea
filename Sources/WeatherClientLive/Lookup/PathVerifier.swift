// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Probes whether requests reach the internet, with a URL whose server always replies with 204.
///
/// A network path shows that a route exists, but not whether the network beyond the next hop works.
/// A probe is sent only when ``verify()`` is called, since each probe reveals to the server that
/// the board is on. To get the same information from weather lookups, use `WeatherClient.observed`.
public struct PathVerifier: Sendable {
  /// The result of a probe.
  public enum Outcome: Equatable, Sendable {
    /// The server replied with status 204.
    case verified
    /// A captive portal replied instead of the server.
    ///
    /// `statusCode` is `nil` if a weather request was redirected.
    case portal(statusCode: Int?)
    /// No response arrived in time, the connection failed, or the server replied with an error.
    case upstreamDead(cause: String)
    /// The server's name could not be resolved.
    case dnsFailing(cause: String)
  }

  /// The URL of the probe, to which the server must reply with 204.
  ///
  /// Use plain HTTP, so that a captive portal can reply. With HTTPS, the outcome behind a captive
  /// portal is `upstreamDead`.
  public var url: String
  /// The maximum duration of the name resolution, and of the request that follows.
  public var deadline: Duration

  /// Creates a verifier without sending a probe.
  ///
  /// - Parameters:
  ///   - url: The URL of the probe.
  ///   - deadline: The maximum duration of the name resolution, and of the request that follows.
  public init(url: String, deadline: Duration = .seconds(3)) {
    self.url = url
    self.deadline = deadline
  }

  /// The HTTP client, which does not follow redirects, since they come from a captive portal.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }()

  /// Sends one probe.
  public func verify() async -> Outcome {
    // Resolve the name first, to distinguish a name server that is not reachable from a dead
    // network.
    if let host = URL(string: url)?.host() {
      switch await withinDeadline({ await Self.resolutionError(for: host) }) {
      case nil: return .dnsFailing(cause: "no answer in \(deadline)")
      case .some(.some(let cause)): return .dnsFailing(cause: "\(host): \(cause)")
      case .some(.none): break
      }
    }
    return await withinDeadline { await sendProbe() }
      ?? .upstreamDead(cause: "no answer in \(deadline)")
  }

  private func sendProbe() async -> Outcome {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Cache-Control", value: "no-cache, no-store")
    request.headers.add(name: "Connection", value: "close")
    request.headers.add(name: "User-Agent", value: ProgramVersion.userAgent)
    do {
      let response = try await Self.client.execute(request, deadline: .distantFuture)
      return Self.outcome(ofStatus: Int(response.status.code))
    } catch let error as HTTPClientError {
      return .upstreamDead(cause: error.shortDescription)
    } catch {
      return .upstreamDead(cause: Outcome.cause(of: error))
    }
  }

  static func outcome(ofStatus code: Int) -> Outcome {
    switch code {
    case 204: .verified
    // Portals send 511. All other 5xx statuses come from the server or from a proxy.
    case 500...510, 512...599: .upstreamDead(cause: "answered \(code)")
    default: .portal(statusCode: code)
    }
  }

  /// Returns the result of the operation, or `nil` if the deadline passes first.
  private func withinDeadline<Value: Sendable>(
    _ operation: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { [deadline] group in
      group.addTask { await operation() }
      group.addTask {
        try? await Task.sleep(for: deadline)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// Returns the resolver's error message for a host name, or `nil` if the host has an address.
  ///
  /// Returns immediately when the task is cancelled. The call of `getaddrinfo`, which cannot be
  /// cancelled, continues on another thread.
  private static func resolutionError(for host: String) async -> String? {
    let (results, continuation) = AsyncStream.makeStream(of: String?.self)
    DispatchQueue.global().async {
      var addresses: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, nil, nil, &addresses)
      if let addresses { freeaddrinfo(addresses) }
      continuation.yield(code == 0 ? nil : String(cString: gai_strerror(code)))
    }
    for await error in results { return error }
    return "cancelled"
  }
}

extension PathVerifier.Outcome {
  /// Creates the outcome that a provider's reply proves, or returns `nil` if the reply proves
  /// nothing.
  ///
  /// Providers send JSON, even for errors. Captive portals send HTML. An HTML page with status 4xx
  /// proves nothing, since it may come from a provider or a portal.
  init?(status: Int, body: some Sequence<UInt8>) {
    // Skip a byte order mark and white space.
    let blank: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]
    let first = body.first { !blank.contains($0) }
    switch (status, first) {
    case (511, _): self = .portal(statusCode: status)
    case (_, UInt8(ascii: "{")), (_, UInt8(ascii: "[")), (204, nil), (304, nil): self = .verified
    case (200..<400, UInt8(ascii: "<")): self = .portal(statusCode: status)
    case (500..., _): self = .upstreamDead(cause: "answered \(status)")
    default: return nil
    }
  }

  /// Creates the outcome that a failed request proves, or returns `nil` if the error proves
  /// nothing.
  ///
  /// If a name server does not answer before the connect timeout, the outcome is `upstreamDead`.
  init?(_ error: any Error) {
    switch error {
    case is CancellationError: return nil
    case let error as HTTPClientError:
      switch error {
      case .cancelled, .invalidURL, .emptyHost, .emptyScheme: return nil
      // Providers send no redirect loops; portals do.
      case .redirectCycleDetected, .redirectLimitReached: self = .portal(statusCode: nil)
      default: self = .upstreamDead(cause: error.shortDescription)
      }
    case let error as NIOConnectionError:
      if error.connectionErrors.isEmpty, let cause = error.dnsAError ?? error.dnsAAAAError {
        self = .dnsFailing(cause: "\(error.host): \(cause)")
      } else {
        self = .upstreamDead(cause: Self.cause(of: error))
      }
    default: self = .upstreamDead(cause: Self.cause(of: error))
    }
  }

  /// Returns the kernel's message for a failed connection, otherwise the error's description.
  static func cause(of error: any Error) -> String {
    let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    guard let error = first as? IOError else { return "\(first)" }
    return String(cString: strerror(error.errnoCode))
  }
}
