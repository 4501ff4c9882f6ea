// SPDX-License-Identifier: Apache-2.0

/// A gate's decision.
public enum Verdict: Equatable, Hashable, Sendable {
  /// Pass the location.
  case passes
  /// Hold the location, for the given reason.
  case holds(reason: String)
}
