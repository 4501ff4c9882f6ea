// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import WeatherClient

/// The host that a connection is made to for a request: the server's own, or that of a proxy.
///
/// Whether there is a way to it decides whether anybody can be asked: a board whose only way out is
/// a proxy has none to the server itself.
public enum ConnectionTarget: Equatable, Hashable, Sendable {
  /// The server itself.
  case server(host: String)
  /// The proxy that the environment names for it.
  case proxy(host: String)

  /// Finds it by the variables of the process: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`.
  ///
  /// - Parameter url: The URL of the server; one without a host counts as an empty one.
  /// - Throws: `misconfigured` where the proxy is none that can be used.
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
