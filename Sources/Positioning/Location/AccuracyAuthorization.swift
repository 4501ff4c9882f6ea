// SPDX-License-Identifier: Apache-2.0

/// The accuracy of the locations that a program may receive.
///
/// Corresponds to `CLAccuracyAuthorization`, with the same names and numbers. The accuracy has an
/// effect only with an authorized status: while the status is not determined, a program receives
/// nothing.
public enum AccuracyAuthorization: Int, Hashable, Codable, Sendable, CaseIterable {
  /// The accuracy of the receiver.
  ///
  /// As in Core Location.
  case fullAccuracy = 0
  /// An accuracy of about five kilometres.
  ///
  /// Core Location delivers such locations a few times an hour, some of them 20 minutes old, and
  /// does not monitor regions. Differs from Core Location: each location is the center of a cell of
  /// a fixed grid, and at most one is delivered every quarter of an hour. Many locations in the
  /// same area thus reveal no more than a single location. Visits, headings, speed, course and
  /// heights are also withheld.
  case reducedAccuracy = 1
}
