// SPDX-License-Identifier: Apache-2.0

package import Positioning

extension Fix {
  /// The fix without its position: time, satellites, heading and source remain.
  package var withoutPosition: Fix {
    var fix = Fix(mode: .none)
    fix.time = time
    fix.receivedAt = receivedAt
    fix.recordedAt = recordedAt
    fix.satellitesUsed = satellitesUsed
    fix.headingDegreesTrue = headingDegreesTrue
    fix.headingDegreesMagnetic = headingDegreesMagnetic
    fix.rollDegrees = rollDegrees
    fix.pitchDegrees = pitchDegrees
    fix.source = source
    fix.isSimulated = isSimulated
    fix.isReplayed = isReplayed
    fix.isDateCorrected = isDateCorrected
    return fix
  }

  /// The fix without its position, time, satellites and heading: arrival time and source remain.
  package var withoutSky: Fix {
    var fix = Fix(mode: .none)
    fix.receivedAt = receivedAt
    fix.source = source
    fix.isSimulated = isSimulated
    fix.isReplayed = isReplayed
    return fix
  }
}
