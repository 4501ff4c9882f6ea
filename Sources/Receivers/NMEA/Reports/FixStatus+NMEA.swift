// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension FixStatus {
  /// What GGA field 6 means; `nil` for no position and for unknown numbers.
  init?(_ quality: FixQuality) {
    switch quality {
    case .autonomous: self = .autonomous
    case .differential: self = .differential
    case .precise: self = .precisePositioning
    case .rtkFixed: self = .rtkFixed
    case .rtkFloat: self = .rtkFloat
    case .estimated: self = .deadReckoning
    case .manual: self = .surveyed
    case .simulated: self = .simulated
    default: return nil
    }
  }

  /// What a mode indicator means; `nil` for not valid and for unknown letters.
  init?(_ mode: ModeIndicator) {
    switch mode {
    case .autonomous: self = .autonomous
    case .differential: self = .differential
    case .precise: self = .autonomous
    case .rtkFixed: self = .rtkFixed
    case .rtkFloat: self = .rtkFloat
    case .estimated: self = .deadReckoning
    case .manual: self = .surveyed
    case .simulator: self = .simulated
    default: return nil
    }
  }
}
