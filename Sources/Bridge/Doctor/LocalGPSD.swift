// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Whether a gpsd listens on this host.
public enum LocalGPSD {
  /// Tries to connect to gpsd's port on loopback; a refusal comes at once, and nothing is sent.
  ///
  /// - Parameter port: The port.
  /// - Returns: Whether something accepts there.
  public static func answers(port: UInt16 = 2947) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
