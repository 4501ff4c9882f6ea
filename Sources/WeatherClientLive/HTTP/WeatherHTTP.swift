// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import Positioning
internal import SystemSupport
internal import TLSSupport
internal import WeatherClient

/// The HTTP client for all providers, which limits the size of replies.
///
/// `WeatherLookup` limits the duration: its deadline applies to all requests of a lookup together.
struct WeatherHTTP: Sendable {
  /// The time limits of the parts of a request.
  struct Timeouts: Hashable, Sendable {
    /// The time limit for connecting, including the TLS handshake.
    var connect = Duration.seconds(5)
    /// The maximum time between two parts of a reply.
    var read = Duration.seconds(10)
    /// The time limit for reading a rejected certificate: a second connection and its handshake.
    var certificate = Duration.seconds(3)
  }

  /// The maximum size of a decompressed reply in bytes.
  var limitBytes = maximumBytes
  var timeouts = Timeouts()
  /// The proxy settings.
  var proxies = ProxyEnvironment.process
  /// The path of a PEM file with certificates that are trusted in addition to the system's.
  var certificates: String?
  /// The certificates of the system.
  var store = CertificateStore()
  /// Returns the error of the system clock; `nil` if it is not known to be wrong.
  ///
  /// TLS failures contain the error, because a wrong clock makes certificates invalid.
  var clockWarning: @Sendable () -> String? = { nil }
  /// Returns the time of the system clock, by which certificates are verified.
  var systemTime: @Sendable () -> UTCTime = SystemClock.utcNow

  static let maximumBytes = 1 << 20
  /// The maximum number of consecutive redirects.
  static let maxRedirects = 3

  /// Returns the `User-Agent` header.
  ///
  /// Providers block programs that do not send this header.
  static func userAgent(contact: String?) -> String {
    // Remove characters that could end the comment or the header.
    let safe = (contact ?? "").filter { $0.isASCII && $0 >= " " && $0 != "(" && $0 != ")" }
    return ProgramVersion.userAgent + (safe.isEmpty ? "" : " (\(safe))")
  }

  /// Sends a GET request and follows redirects on the same host.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - headers: The request headers.
  ///   - record: Counts the requests and stores the network outcome.
  /// - Returns: The reply, with any status.
  /// - Throws: `network`, `tooLarge`, `redirected`, `untrusted`, `malformed`, `misconfigured`,
  ///   `cancelled`, or `notDue` if the maximum number of requests is reached.
  func get(
    _ url: String, headers: [(String, String)], record: RequestRecord
  ) async throws(WeatherError) -> WeatherReply {
    guard var target = URL(string: url), Self.origin(target) != nil else {
      throw .misconfigured("invalid base URL")
    }
    for _ in 0...Self.maxRedirects {
      try record.countRequest()
      let (reply, location) = try await send(target, headers, record)
      guard let location else {
        record.setOutcome(PathVerifier.Outcome(status: reply.status, body: reply.body))
        return reply
      }
      // A redirect may come from a captive portal.
      record.setOutcome(.portal(statusCode: nil))
      target = try Self.redirection(from: target, to: location)
    }
    throw .network("too many redirects")
  }

  /// Returns the target of a redirect, or throws `redirected` if the target is on another host.
  ///
  /// The URL contains a coordinate and possibly a key, which no other host may receive.
  private static func redirection(
    from url: URL, to location: String
  ) throws(WeatherError) -> URL {
    guard let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let old = origin(url), let new = origin(next)
    else { throw .redirected(host: "invalid URL") }
    let isUpgrade = old.scheme == "http" && new.scheme == "https"
    guard old.host == new.host, old == new || isUpgrade else {
      throw .redirected(host: WeatherReply.printable(new.host))
    }
    return next
  }

  struct Origin: Equatable {
    var scheme: String
    var host: String
    var port: Int
  }

  static func origin(_ url: URL) -> Origin? {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    let port = url.port ?? (scheme == "https" ? 443 : 80)
    // Reject other port numbers, for which NIO traps.
    return 1...65_535 ~= port ? Origin(scheme: scheme, host: host, port: port) : nil
  }

  private func send(
    _ url: URL, _ headers: [(String, String)], _ record: RequestRecord
  ) async throws(WeatherError) -> (WeatherReply, location: String?) {
    guard let origin = Self.origin(url) else { throw .misconfigured("invalid base URL") }
    let route = try proxies.route(scheme: origin.scheme, host: origin.host, port: origin.port)
    let key = HTTPConnections.Key(
      route: route, certificates: certificates, limitBytes: limitBytes, timeouts: timeouts,
      store: store)
    guard let client = HTTPConnections.client(key) else {
      throw .misconfigured("too many proxies")
    }
    var request = HTTPClientRequest(url: Self.wireURL(url, route))
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    if case .forwarded(let proxy) = route {
      request.headers.replaceOrAdd(name: "Host", value: Self.authority(origin))
      if let credentials = proxy.credentials {
        request.headers.replaceOrAdd(
          name: "Proxy-Authorization", value: "Basic \(credentials)")
      }
    }
    do {
      let response = try await client.execute(request, deadline: .distantFuture)
      record.recordHead()
      let location = response.headers.first(name: "Location")
      if [301, 302, 303, 307, 308].contains(response.status.code), let location {
        // Do not read the body: the connection is closed instead.
        return (WeatherReply(status: Int(response.status.code), body: []), location)
      }
      let body = try await response.body.collect(upTo: limitBytes)
      return (
        WeatherReply(
          status: Int(response.status.code), headers: response.headers,
          body: Array(body.readableBytesView)), nil
      )
    } catch {
      if PeerCertificate.isRejected(error) {
        let problem = await certificateProblem(origin, route, error)
        record.setOutcome(
          problem.isForAnotherHost ? .portal(statusCode: nil) : PathVerifier.Outcome(error))
        throw problem.error
      }
      let weatherError = weatherError(for: error)
      // Set no outcome for errors that prove nothing about the network: a reply that is too large
      // or cannot be decompressed, or a connection that fails after the head of the response.
      switch weatherError {
      case .network, .untrusted:
        record.setOutcome(record.hasHead ? nil : PathVerifier.Outcome(error))
      default: record.setOutcome(nil)
      }
      throw weatherError
    }
  }

  private static func authority(_ origin: Origin) -> String {
    origin.port == 80 ? bracketed(origin.host) : "\(bracketed(origin.host)):\(origin.port)"
  }

  /// Encloses an IPv6 address in brackets for use in a URL.
  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  /// Returns the URL to connect to.
  ///
  /// If a proxy forwards the request, the URL contains the host of the proxy instead of the server.
  private static func wireURL(_ url: URL, _ route: ProxyEnvironment.Route) -> String {
    guard case .forwarded(let proxy) = route else { return url.absoluteString }
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    return "http://\(bracketed(proxy.host)):\(proxy.port)\(path.isEmpty ? "/" : path)\(query)"
  }

  /// Reads the rejected certificate; behind a proxy, the certificate is not read.
  private func certificateProblem(
    _ origin: Origin, _ route: ProxyEnvironment.Route, _ error: any Error
  ) async -> CertificateProblem {
    var problem = CertificateProblem(
      host: origin.host, isNameRejected: error is NIOSSLExtraError, time: systemTime(),
      clockError: clockWarning())
    if case .direct = route {
      problem.certificate = await PeerCertificateReader.certificates(
        of: origin.host, port: origin.port, timeout: TimeAmount(timeouts.certificate)
      ).first.map { PeerCertificate($0) }
    }
    return problem
  }

  private func weatherError(for error: any Error) -> WeatherError {
    switch error {
    case is NIOTooManyBytesError: .tooLarge(limitBytes: limitBytes)
    case let error as NIOHTTPDecompression.DecompressionError where error == .limit:
      .tooLarge(limitBytes: limitBytes)
    case is NIOHTTPDecompression.DecompressionError,
      is NIOHTTPDecompression.ExtraDecompressionError:
      // A page of a captive portal is not compressed as the header states, or complete.
      .malformed(
        field: "reply", reason: "ends early or is damaged, since it cannot be decompressed")
    case is CancellationError: .cancelled
    case let error as HTTPClientError: Self.weatherError(for: error)
    case NIOSSLError.uncleanShutdown: .network("the connection was closed during the reply")
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      .untrusted(
        "the TLS handshake failed, so another server may answer, such as the login page of the "
          + "network (captive portal)", advice: "log in with a browser on this network")
    case let error as NIOConnectionError: weatherError(for: error.connectionErrors.first?.error)
    case let error as IOError: .network(String(cString: strerror(error.errnoCode)))
    default: .network(String(describing: type(of: error)))
    }
  }

  private static func weatherError(for error: HTTPClientError) -> WeatherError {
    switch error {
    case .invalidURL, .emptyHost, .emptyScheme: .misconfigured("invalid base URL")
    case .cancelled: .cancelled
    default: .network(error.shortDescription)
    }
  }

  private func weatherError(for error: (any Error)?) -> WeatherError {
    guard let error else { return .network("the host has no address") }
    return weatherError(for: error)
  }
}
