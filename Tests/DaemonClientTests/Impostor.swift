// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc
import Testing

/// A server on the daemon's socket that is not a daemon.
final class Impostor: Sendable {
  /// Records one element for each received request.
  let requests = EventRecorder<Bool>()
  private let descriptor: Int32
  private let path: String

  /// Creates a server that sends the same response to every request, and then closes the connection
  /// or keeps it open.
  init(
    _ path: String, answer: [UInt8] = Array("220 at your service\r\n".utf8),
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
    DispatchQueue(label: "impostor").async { [descriptor, requests] in
      var open: [Int32] = []
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &buffer, buffer.count, 0)
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        if staysOpen { open.append(connection) } else { close(connection) }
        requests.record(true)
      }
      for connection in open { close(connection) }
      close(descriptor)
    }
  }

  /// Stops the server, and removes the socket.
  func end() {
    unlink(path)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

/// Runs code on a single thread with the file access rights of another user.
enum OtherUser {
  /// Runs `body` with the file access rights of the user `nobody`.
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
