// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc
import Testing

/// Something that answers on a socket and is no daemon.
final class Impostor: Sendable {
  /// A word for each time that it was asked.
  let asked = EventRecorder<Bool>()
  private let descriptor: Int32
  private let path: String

  /// Answers everybody with the same words, and hangs up or says nothing more.
  init(
    _ path: String, saying words: [UInt8] = Array("220 at your service\r\n".utf8),
    staysOpen: Bool = false
  ) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    try #require(bound == 0 && listen(descriptor, 8) == 0)
    DispatchQueue(label: "impostor").async { [descriptor, asked] in
      var open: [Int32] = []
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &buffer, buffer.count, 0)
        _ = send(connection, words, words.count, Int32(MSG_NOSIGNAL))
        if staysOpen { open.append(connection) } else { close(connection) }
        asked.record(true)
      }
      for connection in open { close(connection) }
      close(descriptor)
    }
  }

  /// Goes, and leaves nothing.
  func end() {
    unlink(path)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// The file system as another user sees it, for one thread.
enum OtherUser {
  /// Runs `body` as the user `nobody`, as far as files are concerned.
  static func run(_ body: @escaping @Sendable () -> Void) async -> Bool {
    typealias Call = @convention(c) (UInt32) -> Int32
    guard let symbol = dlsym(nil, "setfsuid") else { return false }
    let become = unsafeBitCast(symbol, to: Call.self)
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "other user").async {
        _ = become(65_534)
        body()
        _ = become(0)
        continuation.resume()
      }
    }
    return true
  }
}
