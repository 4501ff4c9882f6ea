// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Glibc
internal import Positioning
internal import SystemSupport

/// A synchronous connection to the daemon's socket with time limits.
///
/// For callers that need the response before they can continue. Uses no other thread.
struct SocketProbe: ~Copyable {
  private static let maxAnswerBytes = 1 << 20

  private let path: String
  private let descriptor: Int32
  /// The `errno` of socket(2); 0 if it succeeded.
  private let failure: Int32

  /// Creates the socket, without connecting it.
  ///
  /// If the path is too long, ``connect(waitingMilliseconds:)`` fails.
  init(path: String) {
    self.path = path
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let isPathValid = path.utf8.count <= DaemonAddress.maxPathBytes
    descriptor = isPathValid ? socket(AF_UNIX, kind, 0) : -1
    failure = !isPathValid ? ENAMETOOLONG : descriptor < 0 ? errno : 0
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Connects to the daemon.
  ///
  /// Returns the `errno`; 0 for success, `EAGAIN` if the socket's queue stayed full.
  func connect(waitingMilliseconds milliseconds: Int32 = 0) -> Int32 {
    let number = connectOnce()
    guard number == EAGAIN, milliseconds > 0 else { return number }
    // connect(2) of a Unix socket blocks for at most the send timeout.
    var limit = timeval(
      tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, flags) }
    return connectOnce()
  }

  private func connectOnce() -> Int32 {
    guard descriptor >= 0 else { return failure }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, size)
      }
    }
    return result == 0 ? 0 : errno
  }

  /// Sends a request, and returns the whole response.
  ///
  /// The response is complete when the daemon closes the connection. Returns `nil` on an error or a
  /// timeout.
  func exchange(_ request: [UInt8], milliseconds: Int32) -> [UInt8]? {
    let sent = request.withUnsafeBytes {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard sent == request.count else { return nil }
    let deadline = Self.milliseconds() + Int64(milliseconds)
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while answer.count <= Self.maxAnswerBytes {
      let remaining = deadline - Self.milliseconds()
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = remaining > 0 ? poll(&polled, 1, Int32(remaining)) : 0
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = piece.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count == 0 { return answer }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { return nil }
      answer += piece[..<count]
    }
    return nil
  }

  private static func milliseconds() -> Int64 { MonotonicTime.now().nanoseconds / 1_000_000 }
}
