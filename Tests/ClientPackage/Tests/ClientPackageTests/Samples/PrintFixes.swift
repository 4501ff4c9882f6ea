// SPDX-License-Identifier: Apache-2.0

import Positioning
import Receivers

/// Prints the fixes of a receiver until it is unplugged.
func printFixes(of receiver: some FixSource) async throws {
  try await receiver.run { event in
    guard case .fix(let fix) = event, let place = fix.coordinate else { return }
    print(place.latitudeDegrees, place.longitudeDegrees, fix.mode)
    if let accuracy = fix.horizontalAccuracy {
      print("within", accuracy.meters, "m,", accuracy.confidencePercent, "% of the time")
    }
  }
}

/// Prints the fixes of the receiver on a port; the baud rate is detected.
func printFixes(devnode: String) async throws {
  try await printFixes(of: SerialSource(devnode: devnode))
}
