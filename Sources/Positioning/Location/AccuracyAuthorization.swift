// SPDX-License-Identifier: Apache-2.0

/// How precisely a program may know where the board is.
///
/// As in Core Location, by name and number, and to be read together with the status: full accuracy
/// while not determined still gives nothing.
public enum AccuracyAuthorization: Int, Hashable, Codable, Sendable, CaseIterable {
  /// As precisely as the receiver knows.
  ///
  /// As in Core Location.
  case fullAccuracy = 0
  /// To about five kilometres.
  ///
  /// Core Location's locations are then of about five kilometres, some of them 20 minutes old, and
  /// come a few times an hour; regions cannot be monitored. Differs in that they are the middles of
  /// cells of a grid that never moves, at most one every quarter of an hour, so that no number of
  /// them tells more than one. Visits, headings, speed, course and heights are withheld too.
  case reducedAccuracy = 1
}
