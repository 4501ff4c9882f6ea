// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOHTTP1
internal import SystemSupport

/// Refuses requests that a browser sends on behalf of a page from another origin.
///
/// Browsers access the socket through `ssh -L`. A page whose host name resolves to that tunnel (DNS
/// rebinding) is detected by the `Host` field. A cross-origin POST is detected by `Origin`,
/// `Sec-Fetch-Site` and the content type. Other programs send only `Host`, or none of these fields
/// with HTTP/1.0.
enum BrowserGuard {
  /// The host names of a tunnel, accepted with any port.
  ///
  /// The name `fixcast` is accepted only without a port: a network may resolve this name to any
  /// address, and the URL of a tunnel always has a port.
  private static let tunnelHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// Checks the head of a request.
  ///
  /// - Parameters:
  ///   - head: The head.
  ///   - names: Further names and addresses of this host, accepted with any port; in lower case.
  /// - Throws: `misdirected`, `foreignOrigin` or `mediaType`.
  static func check(
    _ head: HTTPRequestHead, names: Set<String> = []
  ) throws(DaemonFault) {
    let hosts = head.headers["Host"]
    guard hosts.count <= 1 else { throw .malformed("send exactly one Host header") }
    let host = hosts.first?.lowercased()
    // No name can resolve to another address if the host is an address.
    if let host, host != "fixcast", !tunnelHosts.contains(withoutPort(host)),
      ListenAddress(host)?.isLoopback != true, !names.contains(withoutPort(host))
    {
      throw .misdirected(host)
    }
    for origin in head.headers["Origin"] {
      guard let host, authority(of: origin.lowercased()) == host else { throw .foreignOrigin }
    }
    for site in head.headers["Sec-Fetch-Site"] where !["same-origin", "none"].contains(site) {
      throw .foreignOrigin
    }
    if head.method == .POST, !isJSON(head.headers["Content-Type"]) { throw .mediaType }
  }

  /// Checks the head of a request that changes something and for which a browser may send the cookie
  /// of a session.
  ///
  /// The field `X-Fixcast` cannot be sent by a form, and a script of another origin would have to be
  /// permitted to send it.
  ///
  /// - Parameters:
  ///   - head: The head, which ``check(_:names:)`` has accepted.
  ///   - scheme: The scheme of the origin, which has to be stated; `nil` for a client without a
  ///     cookie.
  /// - Throws: `foreignOrigin` or `missingField`.
  static func checkAction(_ head: HTTPRequestHead, scheme: String?) throws(DaemonFault) {
    guard head.headers["X-Fixcast"] == ["1"] else { throw .missingField }
    guard let scheme else { return }
    let host = head.headers["Host"].first?.lowercased() ?? ""
    guard head.headers["Origin"].map({ $0.lowercased() }) == ["\(scheme)://\(host)"] else {
      throw .foreignOrigin
    }
  }

  /// The host and port of a URL; `nil` for a text without a scheme.
  private static func authority(of url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    return String(url[scheme.upperBound...].prefix { !"/?#".contains($0) })
  }

  private static func withoutPort(_ host: String) -> String {
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber)
    else { return host }
    return String(host[..<colon])
  }

  private static func isJSON(_ types: [String]) -> Bool {
    types.count == 1
      && types[0].prefix { $0 != ";" }.lowercased().filter { $0 != " " } == "application/json"
  }
}
