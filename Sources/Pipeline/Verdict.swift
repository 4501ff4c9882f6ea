// SPDX-License-Identifier: Apache-2.0

/// What a gate says to a location.
public enum Verdict: Equatable, Hashable, Sendable {
  /// It may go on.
  case passes
  /// It stays, and why.
  case holds(reason: String)
}
