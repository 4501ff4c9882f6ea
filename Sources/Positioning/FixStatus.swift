// SPDX-License-Identifier: Apache-2.0

/// How a position was obtained, numbered as `status` in gpsd_json(5).
///
/// GGA field 6 and the NMEA 2.3 mode indicator say it in their own codes.
public enum FixStatus: UInt8, Hashable, Sendable {
  /// Satellites alone.
  case autonomous = 1
  /// Differential or satellite-based augmentation.
  case differential = 2
  /// Real-time kinematic, whole-number ambiguities.
  case rtkFixed = 3
  /// Real-time kinematic, floating ambiguities.
  case rtkFloat = 4
  /// Dead reckoning: computed from earlier positions and motion.
  case deadReckoning = 5
  /// Dead reckoning together with satellites.
  case combined = 6
  /// A surveyed position, typed in.
  case surveyed = 7
  /// The receiver itself says that it simulates.
  case simulated = 8
  /// Encrypted military signal.
  case precisePositioning = 9

  /// Rank among the statements of one epoch; the most specific one counts.
  ///
  /// Mode indicators of many receivers cannot say RTK and repeat `D` beside it.
  var specificity: Int {
    switch self {
    case .autonomous: 0
    case .differential: 1
    case .precisePositioning, .deadReckoning, .combined: 2
    case .rtkFixed: 3
    // Where two sentences of an epoch disagree, the worse of the two.
    case .rtkFloat: 4
    case .surveyed, .simulated: 5
    }
  }
}
