// SPDX-License-Identifier: Apache-2.0

/// What a moment's look at the daemon's socket finds.
public enum DaemonPresence: Hashable, Sendable {
  /// Nobody listens: each program decides for itself.
  case absent
  /// Somebody listens.
  case listening
  /// This user may not open it: whoever may is served there, and this program is not.
  case forbidden
}
