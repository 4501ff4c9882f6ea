// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// Wakes a thread from `poll` when the wall clock is set, or when the board resumes from suspend.
///
/// The timer never expires. The kernel cancels the timer in both cases, so that no periodic check
/// is necessary.
final class ClockJump: Sendable {
  /// A descriptor that becomes readable when a jump occurs; -1, which `poll` ignores, if the timer
  /// could not be created.
  let descriptor: Int32

  init() {
    descriptor = timerfd_create(CLOCK_REALTIME, Int32(fixcast_tfd_cloexec_nonblock))
    arm()
  }

  /// Returns whether a jump has occurred, and arms the timer for the next jump.
  func consumeJump() -> Bool {
    var expirations: UInt64 = 0
    let count = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
    guard count >= 0 || errno == ECANCELED else { return false }
    arm()
    return true
  }

  private func arm() {
    // The largest number of seconds that does not overflow the kernel's 64-bit nanoseconds.
    var time = itimerspec()
    time.it_value.tv_sec = Int.max / 1_000_000_000
    timerfd_settime(
      descriptor, Int32(fixcast_tfd_absolute_cancel_on_set), &time, nil)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
