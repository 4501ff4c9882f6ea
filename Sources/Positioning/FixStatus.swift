// SPDX-License-Identifier: Apache-2.0

/// The method by which a position was obtained, numbered as `status` in gpsd_json(5).
///
/// GGA field 6 and the NMEA 2.3 mode indicator use other codes.
public enum FixStatus: UInt8, Hashable, Sendable {
  /// Satellites alone.
  case autonomous = 1
  /// Differential or satellite-based augmentation.
  case differential = 2
  /// Real-time kinematic with integer ambiguities.
  case rtkFixed = 3
  /// Real-time kinematic with floating ambiguities.
  case rtkFloat = 4
  /// Dead reckoning: computed from earlier positions and motion.
  case deadReckoning = 5
  /// Dead reckoning together with satellites.
  case combined = 6
  /// A surveyed position, entered by the user.
  case surveyed = 7
  /// Simulated, as stated by the receiver.
  case simulated = 8
  /// Encrypted military signal.
  case precisePositioning = 9

  /// The rank of this status; the status with the highest rank in an epoch is kept.
  ///
  /// Many receivers report RTK in GGA but `D` in the mode indicator, which has no RTK.
  var specificity: Int {
    switch self {
    case .autonomous: 0
    case .differential: 1
    case .precisePositioning, .deadReckoning, .combined: 2
    case .rtkFixed: 3
    // If two sentences of an epoch disagree on RTK, the worse status is kept.
    case .rtkFloat: 4
    case .surveyed, .simulated: 5
    }
  }
}
