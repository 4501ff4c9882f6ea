// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc

/// What listens where systemd would: a Unix datagram socket at a path.
final class DatagramReceiver {
  let path: String
  private let descriptor: Int32

  init(at path: String, receiveBytes: Int32? = nil) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    if var receiveBytes {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    precondition(result == 0, "bind \(path): \(String(cString: strerror(errno)))")
  }

  deinit { close(descriptor) }

  /// What has come and has not been read; `nil` where nothing has.
  func next() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : Array(buffer.prefix(count))
  }

  func nextText() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
