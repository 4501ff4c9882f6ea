// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc

/// What listens where a service manager would, and records what a service tells it.
final class NoticeReceiver {
  let path: String
  /// A message each.
  let messages = EventRecorder<String>()
  private let source: any DispatchSourceRead

  init(at path: String) throws {
    self.path = path
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    precondition(result == 0, "bind \(path): \(String(cString: strerror(errno)))")
    source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "notices"))
    source.setEventHandler { [messages] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
        messages.record(String(decoding: buffer.prefix(count), as: UTF8.self))
      }
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit { source.cancel() }

  /// Waits until something was told; all that was said by then.
  @discardableResult
  func wait(for text: String) async -> [String] {
    await messages.wait { $0.contains { $0.contains(text) } }
  }
}
