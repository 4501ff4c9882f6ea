// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Decides whether a host is this board.
enum LocalHost {
  /// Whether one of a host's addresses is an address of this board.
  ///
  /// Resolves a name, which may take seconds. False for a name that cannot be resolved, since no
  /// data comes from there.
  static func isThisBoard(_ host: String) -> Bool {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "0", &hints, &first) == 0, let first else { return false }
    defer { freeaddrinfo(first) }
    return sequence(first: first) { $0.pointee.ai_next }.contains { isOwn($0.pointee) }
  }

  /// Whether a socket can be bound to an address, which is possible for own addresses only.
  private static func isOwn(_ address: addrinfo) -> Bool {
    let descriptor = socket(
      address.ai_family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0
  }
}
