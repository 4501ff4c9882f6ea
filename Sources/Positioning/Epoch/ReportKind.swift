// SPDX-License-Identifier: Apache-2.0

/// A name for a kind of report, of the source's own choosing: the same statement, the same kind.
///
/// It never holds the talker: one epoch may come from several.
public struct ReportKind: Hashable, Sendable {
  /// Any number that tells the kinds of one source apart.
  public let rawValue: UInt32

  /// Makes a kind.
  ///
  /// - Parameter rawValue: Any number that tells the kinds of one source apart.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
