// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
internal import SystemSupport

/// A serial line without hardware: whoever opens its devnode reads what is written here.
///
/// Writing never waits. Like a UART whose reader is absent it loses bytes, and counts them.
public final class PseudoTerminal: Sendable {
  private struct State {
    var master: Int32
    /// Held open, so that readers may come and go without a hang-up.
    var slave: Int32
  }

  /// The devnode to open, such as `/dev/pts/5`.
  public let devnode: String
  private let state: Mutex<State?>
  private let dropped = Mutex<UInt64>(0)

  /// The most that is read away in one go of what a client wrote.
  private static let maxDrainRounds = 64

  /// Opens a pair of pseudo-terminals, raw on both sides.
  ///
  /// - Parameter permissions: Who may open the devnode; 0o666 lets a daemon of another user, such
  ///   as gpsd, open it again after it gave up root.
  /// - Throws: ``SerialError`` where there are none left.
  public init(permissions: UInt32 = 0o600) throws(SerialError) {
    var master: Int32 = -1
    var slave: Int32 = -1
    do throws(SystemCallFailure) {
      var name = [CChar](repeating: 0, count: 64)
      try SystemCall.run("openpty") { openpty(&master, &slave, &name, nil, nil) }
      let path = String(
        decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // openpty takes no flags; a program started in between would inherit both, and only
      // hold the line open.
      for descriptor in [master, slave] {
        try SystemCall.run("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      }
      try SystemCall.run("fcntl") { fcntl(master, F_SETFL, O_NONBLOCK) }
      var settings = termios()
      try SystemCall.run("tcgetattr") { tcgetattr(slave, &settings) }
      // Raw before anyone opens it, or what a client writes would be echoed back to it.
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

  /// How many bytes were lost because nobody read.
  public var droppedByteCount: UInt64 { dropped.withLock { $0 } }

  /// The speed that the reader's port has; `nil` after a hang-up.
  public var speedBaud: Int? {
    state.withLock { state in
      guard let state else { return nil }
      var settings = termios()
      guard tcgetattr(state.slave, &settings) == 0 else { return nil }
      return SerialSpeed.baud(code: cfgetospeed(&settings))
    }
  }

  /// Ends the line: readers get a hang-up, as when a plug is pulled.
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

  /// Writes bytes at once; what the kernel will not take is dropped and counted.
  ///
  /// - Parameter bytes: What to send.
  /// - Returns: How many were taken; 0 after a hang-up.
  @discardableResult
  public func write(_ bytes: some Collection<UInt8>) -> Int {
    let contiguous = Array(bytes)
    let taken = state.withLock { state in
      guard let state else { return 0 }
      let count = try? SystemCall.run("write") {
        contiguous.withUnsafeBytes { Glibc.write(state.master, $0.baseAddress, $0.count) }
      }
      return max(0, count ?? 0)
    }
    count(dropped: contiguous.count - taken)
    return taken
  }

  /// Throws away what nobody has read, where it is more than a limit, and counts it.
  ///
  /// A client that opens the line later then begins with something fresh.
  ///
  /// - Parameter limit: How many unread bytes may stay.
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

  /// Reads away what clients write, such as the probes of gpsd.
  ///
  /// - Returns: How many bytes that were.
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
