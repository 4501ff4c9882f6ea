// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// Wakes a thread out of `poll` when the wall clock is set, or the board wakes from sleep.
///
/// A timer that never fires but is cancelled by the kernel then: nothing is polled for it.
final class ClockJump: Sendable {
  /// Becomes readable with a jump; -1, which `poll` ignores, where there is no such timer.
  let descriptor: Int32

  init() {
    descriptor = timerfd_create(CLOCK_REALTIME, Int32(fixcast_tfd_cloexec_nonblock))
    arm()
  }

  /// Whether there was a jump; waits for the next from here on.
  func take() -> Bool {
    var expirations: UInt64 = 0
    let count = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
    guard count >= 0 || errno == ECANCELED else { return false }
    arm()
    return true
  }

  private func arm() {
    // The largest that the kernel's nanoseconds hold.
    var time = itimerspec()
    time.it_value.tv_sec = Int.max / 1_000_000_000
    timerfd_settime(
      descriptor, Int32(fixcast_tfd_absolute_cancel_on_set), &time, nil)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
