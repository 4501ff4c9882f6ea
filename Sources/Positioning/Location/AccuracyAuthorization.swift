// SPDX-License-Identifier: Apache-2.0

/// The accuracy of the locations that a program may receive.
///
/// Same names and numbers as in Core Location. It applies only with an authorized status: full
/// accuracy with status not determined delivers nothing.
public enum AccuracyAuthorization: Int, Hashable, Codable, Sendable, CaseIterable {
  /// The accuracy of the receiver.
  ///
  /// As in Core Location.
  case fullAccuracy = 0
  /// An accuracy of about five kilometres.
  ///
  /// Core Location then delivers locations of about five kilometres, some of them 20 minutes old, a
  /// few times an hour; regions cannot be monitored. Differs in that each location is the center of
  /// a cell of a fixed grid, at most one every quarter of an hour, so that many locations of one
  /// place reveal no more than a single one. Visits, headings, speed, course and heights are
  /// withheld too.
  case reducedAccuracy = 1
}
