// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// The host and TCP port of a gpsd.
public struct GPSDAddress: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The port that IANA assigned to gpsd.
  public static let defaultPort: UInt16 = 2947

  package let server: HostPort

  /// The host name, IPv4 address, or IPv6 address without brackets.
  public var host: String { server.host.text }
  /// The TCP port.
  public var port: UInt16 { server.port }

  package init(_ server: HostPort) { self.server = server }

  /// Makes an address.
  ///
  /// Returns `nil` if the port is 0, or if the host is neither a name nor an IP address. A host with
  /// a colon must be an IPv6 address; otherwise a mistyped port would be resolved as part of a host
  /// name.
  public init?(host: String, port: UInt16 = GPSDAddress.defaultPort) {
    guard let server = try? HostPort(host: Host(host), port: port) else { return nil }
    self.server = server
  }

  /// Parses `HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT` or an IPv6 address without brackets.
  ///
  /// Returns `nil` for any other text.
  public init?(_ text: String) {
    guard let server = try? HostPort(text, defaultPort: Self.defaultPort) else { return nil }
    self.server = server
  }

  /// Whether the host is a loopback address or the usual name of one.
  var isThisHost: Bool { server.host.isLoopback }

  /// The address as `HOST:PORT`, with brackets around an IPv6 address.
  public var description: String { "\(server)" }
}
