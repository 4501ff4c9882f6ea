// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Receivers
internal import SystemSupport

/// The sentences a simulated receiver can send, in the order in which it sends them.
package enum SimulatedSentence: String, CaseIterable, Hashable, Sendable {
  /// Time and date; once a second.
  case zda = "ZDA"
  /// Position of all systems together.
  case gns = "GNS"
  /// Position, height and quality.
  case gga = "GGA"
  /// Satellites used, one sentence a system.
  case gsa = "GSA"
  /// Satellites in view, by system; once a second.
  case gsv = "GSV"
  /// Course and speed.
  case vtg = "VTG"
  /// Standard deviations.
  case gst = "GST"
  /// Expected errors.
  case gbs = "GBS"
  /// Position and time.
  case gll = "GLL"
  /// The least that is needed to navigate; ends each epoch.
  case rmc = "RMC"
}
