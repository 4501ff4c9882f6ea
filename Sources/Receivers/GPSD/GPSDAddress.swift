// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The host and TCP port of a gpsd.
public struct GPSDAddress: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The port that IANA assigned to gpsd.
  public static let defaultPort: UInt16 = 2947

  /// The host name, IPv4 address, or IPv6 address without brackets.
  public let host: String
  /// The TCP port.
  public let port: UInt16

  /// Makes an address.
  ///
  /// Returns `nil` if the port is 0, or if the host is empty, longer than 253 bytes, or contains
  /// blanks, brackets or control characters. (libgps reserves some host names with blanks, such as
  /// `shared memory`, for other transports.) A host with a colon must be an IPv6 address;
  /// otherwise a mistyped port would be resolved as part of a host name.
  public init?(host: String, port: UInt16 = GPSDAddress.defaultPort) {
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x5B && $0 != 0x5D }
    guard (1...253).contains(host.utf8.count), isPlain, port > 0 else { return nil }
    guard !host.contains(":") || Self.isIPv6(host) else { return nil }
    self.host = host
    self.port = port
  }

  /// Parses `HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT` or an IPv6 address without brackets.
  ///
  /// Returns `nil` for any other text.
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
    // A text without a colon is a host; a text with several colons is an IPv6 address.
    guard parts.count == 2 else {
      self.init(host: text)
      return
    }
    guard let port = Self.port(parts[1]) else { return nil }
    self.init(host: String(parts[0]), port: port)
  }

  /// Parses a port of digits only; `UInt16(_:)` alone would also accept a sign.
  private static func port(_ text: Substring) -> UInt16? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
  }

  /// Whether the text is an IPv6 address, with or without a zone such as `%eth0`.
  private static func isIPv6(_ text: String) -> Bool {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first, parts.count == 1 || parts.last?.isEmpty == false else {
      return false
    }
    var bytes = in6_addr()
    return inet_pton(AF_INET6, String(address), &bytes) == 1
  }

  /// Whether the host is a loopback address or the usual name of one.
  var isThisHost: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  /// The address as `HOST:PORT`, with brackets around an IPv6 address.
  public var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
