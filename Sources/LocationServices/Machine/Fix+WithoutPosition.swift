// SPDX-License-Identifier: Apache-2.0

package import Positioning

extension Fix {
  /// That there was an epoch, and nothing of where it was.
  package var withoutPosition: Fix {
    var fix = Fix(mode: .none)
    fix.time = time
    fix.receivedAt = receivedAt
    fix.satellitesUsed = satellitesUsed
    fix.source = source
    fix.isSimulated = isSimulated
    fix.isDateCorrected = isDateCorrected
    return fix
  }

  /// That there was an epoch, and nothing of how the sky was.
  package var withoutSky: Fix {
    var fix = Fix(mode: .none)
    fix.receivedAt = receivedAt
    fix.source = source
    fix.isSimulated = isSimulated
    return fix
  }
}
