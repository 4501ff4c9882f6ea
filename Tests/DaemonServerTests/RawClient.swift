// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Glibc
import Synchronization
import SystemSupport

/// A client that sends and receives raw bytes as a given user.
///
/// The kernel reads the user from the connecting thread, so a single thread can act as a different
/// user than the other threads of the process.
final class RawClient: Sendable {
  /// The received data in pieces.
  ///
  /// An empty piece marks the end of the connection.
  let pieces = EventRecorder<[UInt8]>()
  private let descriptor: Int32

  struct Failure: Error { let errorNumber: Int32 }

  convenience init(_ path: String, user: UInt32 = 0, isReading: Bool = true) throws {
    try self.init(user: user, isReading: isReading) { Self.connect(path) }
  }

  /// Connects to a port of 127.0.0.1 or ::1.
  ///
  /// If `isMapped` is true, uses the IPv4-mapped address ::ffff:127.0.0.1.
  convenience init(
    port: UInt16, on loopback: Loopback = .ipv4, isMapped: Bool = false, user: UInt32 = 0,
    isReading: Bool = true
  ) throws {
    try self.init(user: user, isReading: isReading) {
      Self.connect(port, isMapped ? "::ffff:127.0.0.1" : loopback.host)
    }
  }

  private convenience init(
    user: UInt32, isReading: Bool, _ connect: @escaping @Sendable () -> Int32
  ) throws {
    try self.init(descriptor: Self.perform(as: user, connect), isReading: isReading)
  }

  /// Uses a connected socket; throws if it is a negative error number.
  init(descriptor: Int32, isReading: Bool = true) throws {
    self.descriptor = descriptor
    guard descriptor >= 0 else { throw Failure(errorNumber: -descriptor) }
    if isReading { read() }
  }

  /// Calls a function as a user, and returns its result.
  static func perform(as user: UInt32, _ body: @escaping @Sendable () -> Int32) -> Int32 {
    let finished = DispatchSemaphore(value: 0)
    let result = Mutex<Int32>(-1)
    // Use a separate thread, so that only the user of that thread changes.
    _ = BlockingThread.start {
      result.withLock { $0 = user == 0 || become(user) ? body() : -EPERM }
      finished.signal()
    }
    finished.wait()
    return result.withLock { $0 }
  }

  deinit { close(descriptor) }

  /// Changes the user of this thread.
  ///
  /// Calls the kernel directly, because the C library's `setresuid` changes the user of all
  /// threads.
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

  private static func connect(_ port: UInt16, _ host: String) -> Int32 {
    withAddress(host, port) { address in
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      let descriptor = socket(address.ai_family, kind, 0)
      guard descriptor >= 0 else { return -errno }
      if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
      defer { close(descriptor) }
      return -errno
    }
  }

  /// Calls a function with a numeric address; returns a negative error number for another host.
  static func withAddress(_ host: String, _ port: UInt16, _ body: (addrinfo) -> Int32) -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list?.pointee else {
      return -EINVAL
    }
    defer { freeaddrinfo(list) }
    return body(first)
  }

  /// Connects to a Unix socket; returns a negative error number after an error.
  static func connect(_ path: String) -> Int32 {
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

  /// Starts to read.
  func read() {
    // Use a separate thread, because Dispatch has too few threads for hundreds of blocked readers.
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

  /// Sends data, and returns the number of bytes sent before the server closed the connection.
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

  /// Closes the sending side, and continues to read.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits until the server has closed the connection completely.
  func waitForHangUp() async { await waitForEvents(0) }

  /// Waits until unread data is available.
  func waitForBytes() async { await waitForEvents(Int16(POLLIN)) }

  private func waitForEvents(_ events: Int16) async {
    let reported = EventRecorder<Int16>()
    _ = BlockingThread.start { [descriptor = dup(descriptor)] in
      var polled = pollfd(fd: descriptor, events: events, revents: 0)
      while poll(&polled, 1, -1) < 0, errno == EINTR {}
      close(descriptor)
      reported.record(polled.revents)
    }
    await reported.wait(for: 1)
  }

  /// All received data.
  var text: String { String(decoding: pieces.events.joined(), as: UTF8.self) }

  /// Waits until a text has been received `count` times.
  func wait(for text: String, count: Int = 1) async {
    _ = await pieces.wait { pieces in
      pieces.last == [] || RawClient.count(text, in: Array(pieces.joined())) >= count
    }
  }

  /// Waits until a text that occurs only once has been received.
  ///
  /// Searches only the last pieces.
  func wait(forUnique text: String) async {
    _ = await pieces.wait { pieces in
      pieces.last == [] || RawClient.count(text, in: Array(pieces.suffix(8).joined())) > 0
    }
  }

  /// Runs a body, and waits until everything that the server has sent in it has been received.
  ///
  /// The server of gpsd clients answers a request only after everything that it sent before.
  func exchange(_ body: () -> Void) async {
    let version = #""class":"VERSION""#
    let count = count(version)
    body()
    send("?VERSION;")
    await wait(for: version, count: count + 1)
  }

  /// Whether the connection is open; false if the test is cancelled, as by its time limit.
  var isConnected: Bool { pieces.events.last != [] && !Task.isCancelled }

  /// Waits for the end of the connection, and returns all received data.
  func waitForEnd() async -> String {
    _ = await pieces.wait { $0.last == [] }
    return text
  }

  func count(_ text: String) -> Int { Self.count(text, in: Array(pieces.events.joined())) }

  /// Returns the number of occurrences of a text.
  static func count(_ text: String, in bytes: [UInt8]) -> Int {
    let needle = Array(text.utf8)
    guard let first = needle.first, bytes.count >= needle.count else { return 0 }
    return bytes.indices.count { bytes[$0] == first && bytes[$0...].starts(with: needle) }
  }
}
