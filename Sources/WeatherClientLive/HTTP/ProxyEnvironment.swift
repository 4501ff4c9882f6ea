// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import WeatherClient

/// Which way a request takes, by the variables that other programs on the board obey too:
/// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, the lower-case name before the other.
struct ProxyEnvironment: Equatable, Sendable {
  struct Proxy: Hashable, Sendable {
    var host: String
    var port: Int
    /// `user:password` in base 64.
    var credentials: String?
  }

  enum Route: Hashable, Sendable {
    /// To the server itself.
    case direct
    /// The whole question to a proxy that asks in its own name: how HTTP is sent.
    case forwarded(Proxy)
    /// Through a connection that a proxy makes and does not look into: how TLS is sent.
    case tunnelled(Proxy)
  }

  private var variables: [String: String] = [:]

  static let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]

  /// - Parameter read: The value of a variable.
  init(_ read: (String) -> String?) {
    for name in Self.names {
      // An empty lower-case one means none, as it does to curl.
      if let value = read(name) ?? read(name.uppercased()), !value.isEmpty {
        variables[name] = value
      }
    }
  }

  /// That of the process.
  static var process: ProxyEnvironment {
    ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }
  }

  /// The way to a server.
  ///
  /// - Throws: `misconfigured` where the proxy is none that can be used.
  func route(scheme: String, host: String, port: Int) throws(WeatherError) -> Route {
    let variable = scheme == "https" ? "https_proxy" : "http_proxy"
    guard let text = variables[variable] ?? variables["all_proxy"],
      !Self.isLoopback(host), !isExempt(host, port)
    else { return .direct }
    let proxy = try Self.proxy(text, variable)
    return scheme == "https" ? .tunnelled(proxy) : .forwarded(proxy)
  }

  /// A proxy cannot reach this machine by the names that it has for itself.
  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasPrefix("127.") || host == "::1"
  }

  /// Whether `no_proxy` names a host, a domain that it is in, or everything.
  private func isExempt(_ host: String, _ port: Int) -> Bool {
    let host = host.lowercased()
    for entry in (variables["no_proxy"] ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
      if entry == "*" { return true }
      var name = entry.lowercased()[...]
      // More than one colon is an address of IPv6, without a port.
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
    // Never the text itself: it may have a password in it.
    let wrong = WeatherError.misconfigured("\(variable) is no proxy that can be used")
    let full = text.contains("://") ? text : "http://\(text)"
    guard let url = URL(string: full), url.scheme?.lowercased() == "http",
      let host = url.host(), !host.isEmpty, 1...65_535 ~= url.port ?? 3128
    else { throw wrong }
    var credentials: String?
    if let user = url.user(percentEncoded: false) {
      let password = url.password(percentEncoded: false) ?? ""
      credentials = Data("\(user):\(password)".utf8).base64EncodedString()
    }
    return Proxy(host: host, port: url.port ?? 3128, credentials: credentials)
  }
}
