// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// Wakes a thread out of `poll` to tell it to end.
final class StopSignal: Sendable {
  /// Becomes readable when raised.
  let descriptor: Int32

  /// Makes a signal; `nil` where the system has no descriptor left.
  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    if descriptor < 0 { return nil }
  }

  func raise() { eventfd_write(descriptor, 1) }

  deinit {
    // Also run where there is none.
    if descriptor >= 0 { close(descriptor) }
  }
}
