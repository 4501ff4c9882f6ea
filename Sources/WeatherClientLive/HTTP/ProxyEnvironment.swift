// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import SystemSupport
internal import WeatherClient

/// The proxy settings in the environment variables `http_proxy`, `https_proxy`, `all_proxy` and
/// `no_proxy`.
///
/// A variable with a lower-case name takes precedence over the same name in upper case.
struct ProxyEnvironment: Equatable, Sendable {
  struct Proxy: Hashable, Sendable {
    var host: String
    var port: Int
    /// The base64 encoding of `user:password`.
    var credentials: String?
  }

  enum Route: Hashable, Sendable {
    /// Connect to the server.
    case direct
    /// Send the request with an absolute URL to the proxy. Used for HTTP.
    case forwarded(Proxy)
    /// Open a tunnel through the proxy with CONNECT. Used for HTTPS.
    case tunnelled(Proxy)
  }

  private var variables: [String: String] = [:]

  static let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]

  /// Reads the settings.
  ///
  /// - Parameter read: Returns the value of an environment variable.
  init(_ read: (String) -> String?) {
    for name in Self.names {
      // As in curl, an empty lower-case variable overrides the upper-case one: no proxy is used.
      if let value = read(name) ?? read(name.uppercased()), !value.isEmpty {
        variables[name] = value
      }
    }
  }

  /// The settings in the environment of this process.
  static var process: ProxyEnvironment {
    ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }
  }

  /// Returns the route to a server.
  ///
  /// - Throws: `misconfigured` if the proxy URL is not usable.
  func route(scheme: String, host: String, port: Int) throws(WeatherError) -> Route {
    let variable = scheme == "https" ? "https_proxy" : "http_proxy"
    guard let text = variables[variable] ?? variables["all_proxy"],
      !Self.isLoopback(host), !isExempt(host, port)
    else { return .direct }
    let proxy = try Self.proxy(text, variable)
    return scheme == "https" ? .tunnelled(proxy) : .forwarded(proxy)
  }

  /// Whether a host name refers to the local machine, which a proxy cannot reach by this name.
  private static func isLoopback(_ host: String) -> Bool {
    (try? Host(host))?.isLoopback == true
  }

  /// Whether `no_proxy` contains the host, one of its parent domains, or `*`.
  private func isExempt(_ host: String, _ port: Int) -> Bool {
    let host = host.lowercased()
    for entry in (variables["no_proxy"] ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
      if entry == "*" { return true }
      var name = entry.lowercased()[...]
      // An entry with more than one colon is an IPv6 address without a port.
      if name.count(where: { $0 == ":" }) == 1, let colon = name.firstIndex(of: ":") {
        guard Int(name[name.index(after: colon)...]) == port else { continue }
        name = name[..<colon]
      }
      if name.hasPrefix("*.") { name.removeFirst() }
      if name.hasPrefix(".") { name.removeFirst() }
      if !name.isEmpty, host == name || host.hasSuffix(".\(name)") { return true }
    }
    return false
  }

  private static func proxy(_ text: String, _ variable: String) throws(WeatherError) -> Proxy {
    // Do not quote the text: it may contain a password.
    let invalidURL = WeatherError.misconfigured("\(variable) is not a usable proxy URL")
    let full = text.contains("://") ? text : "http://\(text)"
    guard let url = URL(string: full), url.scheme?.lowercased() == "http",
      let host = url.host(), !host.isEmpty, 1...65_535 ~= url.port ?? 3128
    else { throw invalidURL }
    var credentials: String?
    if let user = url.user(percentEncoded: false) {
      let password = url.password(percentEncoded: false) ?? ""
      credentials = Data("\(user):\(password)".utf8).base64EncodedString()
    }
    return Proxy(host: host, port: url.port ?? 3128, credentials: credentials)
  }
}
