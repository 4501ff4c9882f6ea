// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The destination of a path.
///
/// A destination on the board itself or on the local network needs no default route.
public enum PathDestination: Equatable, Hashable, Sendable {
  /// The internet; requires a default route.
  case internet
  /// The board itself; requires its loopback interface.
  case loopback
  /// A neighbour of unknown address; requires any address on a running interface.
  case localNetwork
  /// An address of 4 or 16 bytes in network order; requires a route to the address.
  case address([UInt8])

  /// Makes a destination from the host part of a URL.
  ///
  /// Names that usually exist only on a local network (`.local`, `.lan`, `.home.arpa`, `.internal`,
  /// or without a dot) are ``localNetwork``, other names ``internet``. Names are not resolved,
  /// because that would require the path.
  ///
  /// - Parameter host: A name or an address; brackets around an address are optional.
  public init(host: String) {
    var bare =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    // A trailing dot marks a fully qualified name.
    if bare.hasSuffix("."), bare.count > 1 { bare.removeLast() }
    if let address = IPAddress(bare)?.unmapped {
      self = address.isLoopback ? .loopback : .address(address.bytes)
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

  /// Whether the destination is a link-local address: 169.254/16 or fe80::/10.
  var isLinkLocal: Bool {
    guard case .address(let bytes) = self, bytes.count > 1 else { return false }
    return bytes.count == 4
      ? bytes.starts(with: [169, 254]) : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  private static let localSuffixes = [".local", ".lan", ".home.arpa", ".internal"]
}
