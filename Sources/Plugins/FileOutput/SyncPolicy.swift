// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Determines when written data is synced to the disk, so that it survives a power cut.
enum SyncPolicy: Equatable, Sendable {
  /// The kernel decides, usually within 30 seconds. This reduces the wear of a memory card.
  case never
  /// After each write.
  case always
  /// With the first write after this interval.
  case interval(seconds: Double)

  /// Whether a sync is due; `last` is the time of the last sync, or the time at which the file was
  /// opened.
  func isDue(since last: MonotonicTime, now: MonotonicTime) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .interval(let seconds): now.seconds(since: last) >= seconds
    }
  }
}
