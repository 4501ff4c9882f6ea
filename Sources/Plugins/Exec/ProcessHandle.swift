// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A process itself and not its number, which may be another's at any time: pidfd_open(2).
struct ProcessHandle {
  private typealias Open = @convention(c) (pid_t, UInt32) -> Int32
  private typealias Send = @convention(c) (Int32, Int32, UnsafeMutableRawPointer?, UInt32) -> Int32

  private let descriptor: Int32

  /// Takes hold of a process; `nil` where there is none of that number.
  init?(_ number: Int32) {
    guard let open = Self.call("pidfd_open", as: Open.self) else { return nil }
    descriptor = open(number, 0)
    guard descriptor >= 0 else { return nil }
  }

  /// Sends a signal.
  ///
  /// - Returns: Whether it was sent: not where the process is gone, or somebody else's.
  func send(_ signal: Int32) -> Bool {
    guard let send = Self.call("pidfd_send_signal", as: Send.self) else { return false }
    return send(descriptor, signal, nil, 0) == 0
  }

  /// Waits until it is gone, for as long as that takes or for so many milliseconds.
  func wait(milliseconds: Int32 = -1) {
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&end, 1, milliseconds) < 0, errno == EINTR {}
  }

  /// Lets go of it.
  func close() { Glibc.close(descriptor) }

  /// A function of the C library that the Glibc module does not carry: since its version 2.36.
  private static func call<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
