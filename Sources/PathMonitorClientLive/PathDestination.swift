// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where a path should lead.
///
/// A provider on the board itself or on the local network needs no default route.
public enum PathDestination: Equatable, Hashable, Sendable {
  /// Anywhere: a default route.
  case internet
  /// The board itself: its loopback interface.
  case loopback
  /// A neighbour that is not known by its address: any address of the board's own.
  case localNetwork
  /// One address, 4 or 16 bytes in network order: a route to it.
  case address([UInt8])

  /// Makes a destination out of the host part of a URL.
  ///
  /// Names that only a local network knows (`.local`, `.lan`, `.home.arpa`, `.internal`, or without
  /// a dot) count as it; any other as the internet: asking who it is would need the very path in
  /// question.
  ///
  /// - Parameter host: A name or an address, the latter with or without brackets.
  public init(host: String) {
    var bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    // A dot at the end only says that the name is whole.
    if bare.hasSuffix("."), bare.count > 1 { bare.removeLast() }
    if let address = Self.parse(bare, AF_INET, length: 4) {
      self = address[0] == 127 ? .loopback : .address(address)
    } else if let address = Self.parse(bare, AF_INET6, length: 16) {
      let zeros = [UInt8](repeating: 0, count: 10)
      if address == zeros + [0, 0, 0, 0, 0, 1] {
        self = .loopback
      } else if address.starts(with: zeros + [0xFF, 0xFF]) {
        // IPv4 in IPv6's writing: what is sent is IPv4.
        self = address[12] == 127 ? .loopback : .address(Array(address[12...]))
      } else {
        self = .address(address)
      }
    } else {
      self.init(name: bare.lowercased())
    }
  }

  private init(name: String) {
    if name == "localhost" || name.hasSuffix(".localhost") {
      self = .loopback
    } else if !name.isEmpty,
      !name.contains(".") || Self.localSuffixes.contains(where: name.hasSuffix)
    {
      self = .localNetwork
    } else {
      self = .internet
    }
  }

  /// Whether it is an address that means something on one link only: 169.254/16, fe80::/10.
  var isLinkLocal: Bool {
    guard case .address(let bytes) = self, bytes.count > 1 else { return false }
    return bytes.count == 4
      ? bytes.starts(with: [169, 254]) : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  private static let localSuffixes = [".local", ".lan", ".home.arpa", ".internal"]

  private static func parse(_ text: String, _ family: Int32, length: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: length)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}
