// SPDX-License-Identifier: Apache-2.0

/// How precisely a program may know where the board is, with Core Location's names.
///
/// To be read together with the status: full accuracy while not determined still gives nothing.
public enum AccuracyAuthorization: Int, Hashable, Codable, Sendable, CaseIterable {
  /// As precisely as the receiver knows.
  case fullAccuracy = 0
  /// To about five kilometres.
  case reducedAccuracy = 1
}
