// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc
import Synchronization
import SystemSupport

/// A program at the other end of the socket, byte by byte, as any user.
///
/// The kernel asks the thread that connects who it is: one thread can be another user than the
/// rest of the process.
final class RawClient: Sendable {
  /// What has come, piece by piece; an empty one is the end.
  let pieces = EventRecorder<[UInt8]>()
  private let descriptor: Int32

  struct Failure: Error { let errorNumber: Int32 }

  /// Connects.
  init(_ path: String, user: UInt32 = 0, isReading: Bool = true) throws {
    let pipe = DispatchSemaphore(value: 0)
    let result = Mutex<Int32>(-1)
    // A thread of its own, for what the kernel takes it for.
    _ = BlockingThread.start {
      result.withLock { $0 = Self.connect(path, user) }
      pipe.signal()
    }
    pipe.wait()
    descriptor = result.withLock { $0 }
    guard descriptor >= 0 else { throw Failure(errorNumber: -descriptor) }
    if isReading { read() }
  }

  deinit { close(descriptor) }

  /// Makes this thread another user's: the library's own call would change all threads.
  private static func become(_ user: UInt32) -> Bool {
    typealias Call = @convention(c) (Int, Int, Int, Int) -> Int
    #if arch(arm64)
      let setresuid = 147
    #else
      let setresuid = 117
    #endif
    guard let symbol = dlsym(nil, "syscall") else { return false }
    return unsafeBitCast(symbol, to: Call.self)(setresuid, -1, Int(user), -1) == 0
  }

  private static func connect(_ path: String, _ user: UInt32) -> Int32 {
    if user != 0, !become(user) { return -EPERM }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -errno }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, size)
      }
    }
    if code == 0 { return descriptor }
    defer { close(descriptor) }
    return -errno
  }

  /// Begins to read, where it has not.
  func read() {
    // Not one of Dispatch's, which are too few for hundreds that wait.
    _ = BlockingThread.start { [descriptor = dup(descriptor), pieces] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        pieces.record(Array(buffer.prefix(count)))
      }
      close(descriptor)
      pieces.record([])
    }
  }

  /// Sends; gives how much of it was taken before the other end hung up.
  @discardableResult
  func send(_ text: String) -> Int { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  func get(_ target: String) { send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n") }

  /// Says that nothing more is sent, and goes on reading.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits until the other end takes nothing any more.
  func waitForHangUp() async { await waitForEvents(0) }

  /// Waits until something has come that is not read yet.
  func waitForBytes() async { await waitForEvents(Int16(POLLIN)) }

  private func waitForEvents(_ events: Int16) async {
    let ends = EventRecorder<Int16>()
    _ = BlockingThread.start { [descriptor = dup(descriptor)] in
      var looked = pollfd(fd: descriptor, events: events, revents: 0)
      while poll(&looked, 1, -1) < 0, errno == EINTR {}
      close(descriptor)
      ends.record(looked.revents)
    }
    await ends.wait(for: 1)
  }

  /// All that has come.
  var text: String { String(decoding: pieces.events.joined(), as: UTF8.self) }

  /// Waits until something has come.
  func wait(for text: String, count: Int = 1) async {
    _ = await pieces.wait { pieces in
      pieces.last == [] || RawClient.count(text, in: Array(pieces.joined())) >= count
    }
  }

  /// Waits until something that comes once only has come; looks at what came last alone.
  func wait(forNews text: String) async {
    _ = await pieces.wait { pieces in
      pieces.last == [] || RawClient.count(text, in: Array(pieces.suffix(8).joined())) > 0
    }
  }

  /// Waits for the end; gives all that came.
  func waitForEnd() async -> String {
    _ = await pieces.wait { $0.last == [] }
    return text
  }

  func count(_ text: String) -> Int { Self.count(text, in: Array(pieces.events.joined())) }

  /// How often a text is in some bytes.
  static func count(_ text: String, in bytes: [UInt8]) -> Int {
    let needle = Array(text.utf8)
    guard let first = needle.first, bytes.count >= needle.count else { return 0 }
    return bytes.indices.count { bytes[$0] == first && bytes[$0...].starts(with: needle) }
  }
}
