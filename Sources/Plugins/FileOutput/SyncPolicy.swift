// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// When what was written is put on the disk, where a power cut cannot take it.
enum SyncPolicy: Equatable, Sendable {
  /// When the kernel sees fit: within half a minute, as a rule, and gentle to a memory card.
  case never
  /// After each write.
  case always
  /// With the first write after so many seconds.
  case interval(seconds: Double)

  /// Whether it is time: how long ago it was done, or the file was opened, by one clock.
  func isDue(since last: MonotonicTime, now: MonotonicTime) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .interval(let seconds): now.seconds(since: last) >= seconds
    }
  }
}
