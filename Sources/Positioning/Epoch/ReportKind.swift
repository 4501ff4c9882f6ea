// SPDX-License-Identifier: Apache-2.0

/// A kind of report, such as a sentence type; each source assigns its own numbers.
///
/// A kind does not include the talker, because several talkers may contribute to one epoch.
public struct ReportKind: Hashable, Sendable {
  /// A number that is unique among the kinds of one source.
  public let rawValue: UInt32

  /// Makes a kind from a number that is unique within its source.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
