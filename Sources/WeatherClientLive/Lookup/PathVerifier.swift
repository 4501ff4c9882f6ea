// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Finds out whether a request really gets out: asks for a page that is empty by agreement.
///
/// A network path says that there is a route to try; what happens behind the next hop only a
/// request can tell. Nobody is asked unless somebody wants to know: each probe tells its server
/// that the board is on. Requests that are made anyway tell as much; see `WeatherClient.observed`.
public struct PathVerifier: Sendable {
  /// The result of a probe.
  public enum Outcome: Equatable, Sendable {
    /// The server answered as agreed: 204, and nothing else.
    case verified
    /// Somebody else answered, such as a page that wants a password or a payment.
    ///
    /// The status is `nil` where it led from one page to the next without end.
    case portal(statusCode: Int?)
    /// Nobody answered in time, or refused; the text names the cause.
    case upstreamDead(cause: String)
    /// Nobody knew the server's name, or nobody answered who would know it.
    case dnsFailing(cause: String)
  }

  /// The probe's URL; its server answers 204 by agreement.
  ///
  /// Over plain HTTP, so that a portal can step in: in HTTPS it cannot answer, and is not told from
  /// a dead network.
  public var url: String
  /// The deadline of the name lookup and of the reply, each.
  public var deadline: Duration

  /// Makes a verifier that has asked nothing yet.
  ///
  /// - Parameters:
  ///   - url: What is asked for.
  ///   - deadline: How long the name and the answer may take, each.
  public init(url: String, deadline: Duration = .seconds(3)) {
    self.url = url
    self.deadline = deadline
  }

  /// Follows no redirection: where it leads to is the portal's affair.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }()

  /// Asks once.
  ///
  /// - Returns: What became of it.
  public func verify() async -> Outcome {
    // Apart, so that a name server that does not answer is not taken for a dead network.
    if let host = URL(string: url)?.host() {
      switch await withinDeadline({ await Self.failure(toResolve: host) }) {
      case nil: return .dnsFailing(cause: "no answer in \(deadline)")
      case .some(.some(let cause)): return .dnsFailing(cause: "\(host): \(cause)")
      case .some(.none): break
      }
    }
    return await withinDeadline { await ask() }
      ?? .upstreamDead(cause: "no answer in \(deadline)")
  }

  private func ask() async -> Outcome {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Cache-Control", value: "no-cache, no-store")
    request.headers.add(name: "Connection", value: "close")
    request.headers.add(name: "User-Agent", value: ProgramVersion.userAgent)
    do {
      let response = try await Self.client.execute(request, deadline: .distantFuture)
      return Self.meaning(ofStatus: Int(response.status.code))
    } catch let error as HTTPClientError {
      return .upstreamDead(cause: error.shortDescription)
    } catch {
      return .upstreamDead(cause: Outcome.cause(of: error))
    }
  }

  static func meaning(ofStatus code: Int) -> Outcome {
    switch code {
    case 204: .verified
    // 511 is the portals' own; the others are the server's, or a proxy's before it.
    case 500...510, 512...599: .upstreamDead(cause: "answered \(code)")
    default: .portal(statusCode: code)
    }
  }

  /// The first of an operation and the deadline; `nil` for the deadline.
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

  /// Why a name has no address, in the resolver's words; `nil` where it has one.
  ///
  /// Returns when it is cancelled; the resolver, which cannot be, ends by itself on a thread that
  /// nobody waits for.
  private static func failure(toResolve host: String) async -> String? {
    let (answers, answer) = AsyncStream.makeStream(of: String?.self)
    DispatchQueue.global().async {
      var result: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, nil, nil, &result)
      if let result { freeaddrinfo(result) }
      answer.yield(code == 0 ? nil : String(cString: gai_strerror(code)))
    }
    for await failure in answers { return failure }
    return "cancelled"
  }
}

extension PathVerifier.Outcome {
  /// The outcome that a provider's reply proves for the path; `nil` where it proves nothing.
  ///
  /// Providers speak JSON, errors included; a portal shows a page. A page with an error's status
  /// may be either's.
  init?(status: Int, body: some Sequence<UInt8>) {
    // A byte order mark and white space may come first.
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

  /// The outcome that a failed request proves for the path; `nil` where it proves nothing.
  ///
  /// A name server that is silent for longer than a connection may take is not told from a dead
  /// network.
  init?(_ error: any Error) {
    switch error {
    case is CancellationError: return nil
    case let error as HTTPClientError:
      switch error {
      case .cancelled, .invalidURL, .emptyHost, .emptyScheme: return nil
      // A page that leads to itself is a portal's.
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

  /// The kernel's error message for a connection that failed, if there is one.
  static func cause(of error: any Error) -> String {
    let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    guard let error = first as? IOError else { return "\(first)" }
    return String(cString: strerror(error.errnoCode))
  }
}
