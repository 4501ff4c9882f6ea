// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
internal import SystemSupport

/// A simulated serial line: programs that open its devnode read the bytes written here.
///
/// Writing never blocks. Bytes that no program reads are dropped, as by a UART, and counted.
public final class PseudoTerminal: Sendable {
  private struct State {
    var master: Int32
    /// Kept open, so that the line does not hang up when the last reader closes the devnode.
    var slave: Int32
  }

  /// The devnode to open, such as `/dev/pts/5`.
  public let devnode: String
  private let state: Mutex<State?>
  private let dropped = Mutex<UInt64>(0)

  /// The maximum number of reads in one call of ``drainInput()``.
  private static let maxDrainRounds = 64

  /// Opens a pseudo-terminal in raw mode.
  ///
  /// - Parameter permissions: The mode of the devnode. 0o666 lets a daemon of another user, such as
  ///   gpsd, reopen the devnode after dropping root privileges.
  /// - Throws: ``SerialError`` if no pseudo-terminal is available.
  public init(permissions: UInt32 = 0o600) throws(SerialError) {
    var master: Int32 = -1
    var slave: Int32 = -1
    do throws(SystemCallFailure) {
      var name = [CChar](repeating: 0, count: 64)
      try SystemCall.run("openpty") { openpty(&master, &slave, &name, nil, nil) }
      let path = String(
        decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // openpty(3) cannot set O_CLOEXEC. A program started before the next calls inherits both
      // descriptors, which is harmless: it only keeps the line open.
      for descriptor in [master, slave] {
        try SystemCall.run("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      }
      try SystemCall.run("fcntl") { fcntl(master, F_SETFL, O_NONBLOCK) }
      var settings = termios()
      try SystemCall.run("tcgetattr") { tcgetattr(slave, &settings) }
      // Set raw mode before a client opens the line; otherwise a client's bytes are echoed back.
      cfmakeraw(&settings)
      try SystemCall.run("tcsetattr") { tcsetattr(slave, TCSANOW, &settings) }
      try SystemCall.run("chmod") { chmod(path, permissions) }
      devnode = path
      state = Mutex(State(master: master, slave: slave))
    } catch {
      if slave >= 0 { SystemCall.close(slave) }
      if master >= 0 { SystemCall.close(master) }
      throw SerialError(.resources, "/dev/ptmx", error)
    }
  }

  deinit { hangUp() }

  /// The number of bytes dropped because no client read them.
  public var droppedByteCount: UInt64 { dropped.withLock { $0 } }

  /// The baud rate set by the reader; `nil` after a hang-up.
  public var speedBaud: Int? {
    state.withLock { $0.flatMap { SerialPort.speedBaud(of: $0.slave) } }
  }

  /// Closes the line: readers get a hang-up, as if the receiver was unplugged.
  public func hangUp() {
    let last = state.withLock { state in
      let last = state
      state = nil
      return last
    }
    guard let last else { return }
    SystemCall.close(last.slave)
    SystemCall.close(last.master)
  }

  /// Writes bytes without blocking; drops and counts bytes that the kernel does not accept.
  ///
  /// - Parameter bytes: The bytes to write.
  /// - Returns: The number of bytes written; 0 after a hang-up.
  @discardableResult
  public func write(_ bytes: some Collection<UInt8>) -> Int {
    let contiguous = Array(bytes)
    let written = state.withLock { state in
      guard let state else { return 0 }
      let count = try? SystemCall.run("write") {
        contiguous.withUnsafeBytes { Glibc.write(state.master, $0.baseAddress, $0.count) }
      }
      return max(0, count ?? 0)
    }
    count(dropped: contiguous.count - written)
    return written
  }

  /// Discards and counts all unread bytes if they exceed a limit.
  ///
  /// A client that opens the line later then starts with recent bytes.
  ///
  /// - Parameter limit: The maximum number of unread bytes to keep.
  public func discardUnread(over limit: Int) {
    let discarded = state.withLock { state -> Int in
      guard let state else { return 0 }
      var unread: Int32 = 0
      guard ioctl(state.slave, UInt(FIONREAD), &unread) == 0, Int(unread) > limit else {
        return 0
      }
      return tcflush(state.slave, TCIFLUSH) == 0 ? Int(unread) : 0
    }
    count(dropped: discarded)
  }

  /// Discards the bytes that clients write, such as the probes of gpsd.
  ///
  /// - Returns: The number of bytes discarded.
  @discardableResult
  public func drainInput() -> Int {
    state.withLock { state in
      guard let state else { return 0 }
      var buffer = [UInt8](repeating: 0, count: 4096)
      var total = 0
      for _ in 0..<Self.maxDrainRounds {
        let count = try? SystemCall.run("read") {
          buffer.withUnsafeMutableBytes { Glibc.read(state.master, $0.baseAddress, $0.count) }
        }
        guard let count, count > 0 else { break }
        total += count
      }
      return total
    }
  }

  private func count(dropped count: Int) {
    guard count > 0 else { return }
    dropped.withLock { $0 &+= UInt64(count) }
  }
}
