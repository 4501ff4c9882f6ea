// SPDX-License-Identifier: Apache-2.0

/// One partial statement of a source about the sky.
public enum SkyReport: Equatable, Sendable {
  /// Part of a list of satellites in view. Lists of several systems and signals add up.
  ///
  /// `group` names the list (system and signal), `part` counts from 1 to `parts`.
  case inView(group: UInt32, part: Int, parts: Int, [Satellite])
  /// Satellites that the solution uses, of one system or of all.
  case used([SatelliteID])
}
