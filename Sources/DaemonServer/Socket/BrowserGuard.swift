// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOHTTP1

/// Refuses what a page of another origin makes a browser send.
///
/// The socket is reached by browsers through `ssh -L`. A page that points its own name at that
/// tunnel (DNS rebinding) is recognized by `Host`, and one that posts across origins by `Origin`,
/// `Sec-Fetch-Site` and the type of the body. Programs send none of these but `Host`, and HTTP/1.0
/// not even that.
enum BrowserGuard {
  /// The hosts of a tunnel, with any port.
  ///
  /// `fixcast`, which a network may resolve to anything, is accepted without a port only: a tunnel
  /// has one.
  private static let tunnelHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// Checks the head of a request.
  ///
  /// - Throws: `misdirected`, `foreignOrigin` or `mediaType`.
  static func check(_ head: HTTPRequestHead) throws(DaemonFault) {
    let named = head.headers["Host"]
    guard named.count <= 1 else { throw .malformed("send exactly one Host header") }
    let host = named.first?.lowercased()
    if let host, host != "fixcast", !tunnelHosts.contains(withoutPort(host)) {
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
