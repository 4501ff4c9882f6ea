// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import WeatherClient

/// The host that a request connects to: the server or a proxy.
///
/// Checks for a network route must use this host, since a board behind a proxy may have no route to
/// the server.
public enum ConnectionTarget: Equatable, Hashable, Sendable {
  /// The server itself.
  case server(host: String)
  /// The proxy that the environment configures for the server.
  case proxy(host: String)

  /// Selects the target according to the environment variables `http_proxy`, `https_proxy`,
  /// `all_proxy` and `no_proxy`.
  ///
  /// - Parameter url: The URL of the server. If its host is invalid, the target is a server with an
  ///   empty host name.
  /// - Throws: `misconfigured` if the proxy URL is not usable.
  public init(toURL url: String) throws(WeatherError) {
    try self.init(toURL: url, by: .process)
  }

  init(toURL url: String, by proxies: ProxyEnvironment) throws(WeatherError) {
    guard let url = URL(string: url), let origin = WeatherHTTP.origin(url) else {
      self = .server(host: "")
      return
    }
    switch try proxies.route(scheme: origin.scheme, host: origin.host, port: origin.port) {
    case .direct: self = .server(host: origin.host)
    case .forwarded(let proxy), .tunnelled(let proxy): self = .proxy(host: proxy.host)
    }
  }
}
