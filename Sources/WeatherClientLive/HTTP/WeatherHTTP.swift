// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import WeatherClient

/// Fetches answers for every provider, within bounds of size.
///
/// Not of time: a lookup may take several answers, and its deadline is over all of them.
struct WeatherHTTP: Sendable {
  /// How large an answer may be, unpacked.
  var limitBytes = maximumBytes
  /// Which way out.
  var proxies = ProxyEnvironment.process
  /// A PEM file with certificates to trust besides the system's.
  var certificates: String?

  static let maximumBytes = 1 << 20
  /// Enough for a host that moves a path; more is a circle.
  static let maxRedirects = 3

  /// Who asks: providers block programs that do not say.
  static func userAgent(contact: String?) -> String {
    // Whatever could end the header is not part of a contact.
    let safe = (contact ?? "").filter { $0.isASCII && $0 >= " " && $0 != "(" && $0 != ")" }
    return ProgramVersion.userAgent + (safe.isEmpty ? "" : " (\(safe))")
  }

  /// Fetches an answer, whatever its status, and follows redirections on the same host.
  ///
  /// - Parameters:
  ///   - url: What to ask.
  ///   - headers: Headers to send besides.
  ///   - record: Told of each request that goes out, and of what it tells of the network.
  /// - Returns: The answer.
  /// - Throws: `network`, `tooLarge`, `redirected`, `untrusted`, `misconfigured`, `cancelled`, or
  ///   `notDue` where no further request may go out.
  func get(
    _ url: String, headers: [(String, String)], record: RequestRecord
  ) async throws(WeatherError) -> WeatherReply {
    guard var target = URL(string: url), Self.origin(target) != nil else {
      throw .misconfigured("no URL to ask")
    }
    for _ in 0...Self.maxRedirects {
      try record.countOne()
      let (reply, location) = try await send(target, headers, record)
      guard let location else {
        record.found(PathVerifier.Outcome(status: reply.status, body: reply.body))
        return reply
      }
      // Where it leads is not known to be the provider: a portal redirects too.
      record.found(.portal(statusCode: nil))
      target = try Self.redirection(from: target, to: location)
    }
    throw .network("redirected in circles")
  }

  /// Where a redirection leads: on the same host, or nowhere.
  ///
  /// The question has a coordinate in it and perhaps a key, and is for nobody else.
  private static func redirection(
    from url: URL, to location: String
  ) throws(WeatherError) -> URL {
    guard let next = URL(string: location, relativeTo: url)?.absoluteURL,
      let old = origin(url), let new = origin(next)
    else { throw .redirected(host: "nowhere") }
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
    // NIO traps on any other.
    return 1...65_535 ~= port ? Origin(scheme: scheme, host: host, port: port) : nil
  }

  private func send(
    _ url: URL, _ headers: [(String, String)], _ record: RequestRecord
  ) async throws(WeatherError) -> (WeatherReply, location: String?) {
    guard let origin = Self.origin(url) else { throw .misconfigured("no URL to ask") }
    let route = try proxies.route(scheme: origin.scheme, host: origin.host, port: origin.port)
    let key = HTTPConnections.Key(
      route: route, certificates: certificates, limitBytes: limitBytes)
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
      record.headCame()
      let location = response.headers.first(name: "Location")
      if [301, 302, 303, 307, 308].contains(response.status.code), let location {
        // Nobody reads its body; what is left of it ends with the connection.
        return (WeatherReply(status: Int(response.status.code), body: []), location)
      }
      let body = try await response.body.collect(upTo: limitBytes)
      return (
        WeatherReply(
          status: Int(response.status.code), headers: response.headers,
          body: Array(body.readableBytesView)), nil
      )
    } catch {
      let meaning = meaning(of: error)
      // An answer that is too large or cannot be unpacked is nobody's word on the network.
      switch meaning {
      // Whoever hangs up in the middle has answered.
      case .network, .untrusted:
        record.found(record.hasHead ? nil : PathVerifier.Outcome(error))
      default: record.found(nil)
      }
      throw meaning
    }
  }

  private static func authority(_ origin: Origin) -> String {
    origin.port == 80 ? bracketed(origin.host) : "\(bracketed(origin.host)):\(origin.port)"
  }

  /// A host as it stands in a URL: an address of IPv6 in brackets.
  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  /// The URL that decides whom to connect to: a proxy that asks in its own name stands in for the
  /// server.
  private static func wireURL(_ url: URL, _ route: ProxyEnvironment.Route) -> String {
    guard case .forwarded(let proxy) = route else { return url.absoluteString }
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    return "http://\(bracketed(proxy.host)):\(proxy.port)\(path.isEmpty ? "/" : path)\(query)"
  }

  private func meaning(of error: any Error) -> WeatherError {
    switch error {
    case is NIOTooManyBytesError: .tooLarge(limitBytes: limitBytes)
    case let error as NIOHTTPDecompression.DecompressionError where error == .limit:
      .tooLarge(limitBytes: limitBytes)
    case is NIOHTTPDecompression.DecompressionError,
      is NIOHTTPDecompression.ExtraDecompressionError:
      .malformed(field: "body", reason: "cannot be unpacked")
    case is CancellationError: .cancelled
    case let error as HTTPClientError: Self.meaning(of: error)
    case is NIOSSLError, is BoringSSLError: .untrusted("no certificate that can be trusted")
    case let error as NIOSSLExtraError:
      .untrusted(
        error == .failedToValidateHostname
          ? "the certificate is for another name" : "TLS failed")
    case let error as NIOConnectionError: meaning(of: error.connectionErrors.first?.error)
    case let error as IOError: .network(String(cString: strerror(error.errnoCode)))
    default: .network(String(describing: type(of: error)))
    }
  }

  private static func meaning(of error: HTTPClientError) -> WeatherError {
    switch error {
    case .invalidURL, .emptyHost, .emptyScheme: .misconfigured("no URL to ask")
    case .cancelled: .cancelled
    default: .network(error.shortDescription)
    }
  }

  private func meaning(of error: (any Error)?) -> WeatherError {
    guard let error else { return .network("no address") }
    return meaning(of: error)
  }
}
