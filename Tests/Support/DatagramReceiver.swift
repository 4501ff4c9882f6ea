// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// A Unix datagram socket at a path, which simulates the notification socket of systemd.
package final class DatagramReceiver: Sendable {
  /// The path of the socket.
  package let path: String
  private let descriptor: Int32

  /// Binds a socket to a path that does not exist yet.
  package init(at path: String) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    precondition(result == 0, "bind \(path): \(String(cString: strerror(errno)))")
    // The timeout ensures that a test fails instead of hanging if no message arrives.
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Reads the next pending message; `nil` if no message is pending.
  package func next() -> [UInt8]? { receive(Int32(MSG_DONTWAIT)) }

  /// Reads the next pending message as text; `nil` if no message is pending.
  package func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }

  /// Waits for a message and returns its text; `nil` after twenty seconds.
  package func arrival() async -> String? {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "datagram receiver").async {
        continuation.resume(
          returning: self.receive(0).map { String(decoding: $0, as: UTF8.self) })
      }
    }
  }

  private func receive(_ flags: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = recv(descriptor, &buffer, buffer.count, flags)
    return count < 0 ? nil : Array(buffer.prefix(count))
  }
}
