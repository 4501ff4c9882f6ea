// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where a gpsd listens.
public struct GPSDAddress: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The port that gpsd has from IANA.
  public static let defaultPort: UInt16 = 2947

  /// A name, an IPv4 address, or an IPv6 address without brackets.
  public let host: String
  /// The TCP port.
  public let port: UInt16

  /// Makes an address.
  ///
  /// Gives `nil` for a host that is none: empty, longer than a name can be, or with blanks or
  /// control characters (libgps takes some of these for other ways to reach gpsd). With a colon it
  /// must be an IPv6 address, or a mistyped port would be waited for as a host.
  ///
  /// - Parameters:
  ///   - host: A name, an IPv4 address, or an IPv6 address without brackets.
  ///   - port: The TCP port, not 0.
  public init?(host: String, port: UInt16 = GPSDAddress.defaultPort) {
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x5B && $0 != 0x5D }
    guard (1...253).contains(host.utf8.count), isPlain, port > 0 else { return nil }
    guard !host.contains(":") || Self.isIPv6(host) else { return nil }
    self.host = host
    self.port = port
  }

  /// Reads `HOST`, `HOST:PORT`, `[IPV6]:PORT` or an IPv6 address alone.
  ///
  /// Gives `nil` for anything else.
  public init?(_ text: String) {
    if text.hasPrefix("[") {
      let parts = text.dropFirst().split(
        separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].contains(":") else { return nil }
      guard !parts[1].isEmpty else {
        self.init(host: String(parts[0]))
        return
      }
      guard parts[1].hasPrefix(":"), let port = Self.port(parts[1].dropFirst()) else {
        return nil
      }
      self.init(host: String(parts[0]), port: port)
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // Two colons or more: an IPv6 address, whose last part is no port.
    guard parts.count == 2 else {
      self.init(host: text)
      return
    }
    guard let port = Self.port(parts[1]) else { return nil }
    self.init(host: String(parts[0]), port: port)
  }

  /// Digits alone: a number may also have a sign.
  private static func port(_ text: Substring) -> UInt16? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
  }

  /// Whether a text is an IPv6 address, with a zone such as `%eth0` or without.
  private static func isIPv6(_ text: String) -> Bool {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first, parts.count == 1 || parts.last?.isEmpty == false else {
      return false
    }
    var bytes = in6_addr()
    return inet_pton(AF_INET6, String(address), &bytes) == 1
  }

  /// The address as `HOST:PORT`, IPv6 in brackets.
  public var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
