// SPDX-License-Identifier: Apache-2.0

import Testing

/// A recording with fields that gpsd 3.22 decodes incorrectly, and a sentence as proof.
///
/// Errors of Fixcast's decoder must not be listed here.
struct KnownGPSDError: Sendable, CustomTestStringConvertible {
  var recording: String
  var fields: Set<ComparedField>
  /// The prefix of gpsd's time in the affected epochs; empty for the whole recording.
  var time = ""
  var reason: String
  var sentence: String

  var testDescription: String { "\(recording): \(reason)" }

  /// Whether this error is the cause of a disagreement.
  func explains(_ disagreement: Disagreement, in recording: String) -> Bool {
    self.recording == recording && fields.contains(disagreement.field)
      && (disagreement.time ?? "").hasPrefix(time)
  }

  static let all: [KnownGPSDError] = [
    KnownGPSDError(
      recording: "bt451.log", fields: [.date], time: "2029-07-26T14:33:06.000",
      reason: "adds a day when the time of day goes back by an hour",
      sentence: "$GPRMC,143306.50,A,5546.82983,N,02334.72123,E,30.324,221.16,091209,,,A*52"),
    KnownGPSDError(
      recording: "bundg_zeus_9.log", fields: [.latitude, .longitude],
      reason: "keeps the RMC's position; the next GGA has another position for the same second",
      sentence: "$GPGGA,094816,5250.9705,N,00518.7323,E,1,12,0.60,-5,M,46.8,M,,*49"),
    KnownGPSDError(
      recording: "bundg_zeus_9.log", fields: [.speed, .course],
      reason: "prefers a VTG, which has no time, to the RMC with the time of the epoch",
      sentence: "$GPRMC,094824,A,5250.9644,N,00518.7180,E,5.2,237.7,200818,1.4,E,A*17"),
    KnownGPSDError(
      recording: "hemi.log", fields: [.speed],
      reason: "derives a speed from positions although the VTG after GGA contains the speed",
      sentence: "$GPVTG,346.88,T,1.52,M,0.04,N,0.07,K,A*27"),
    KnownGPSDError(
      recording: "humminbird-M37.log", fields: [.speed],
      reason: "derives a speed from positions although the VTG after GLL contains the speed",
      sentence: "$INVTG,76.3,T,92.1,M,5.3,N,9.7,K*5E"),
    KnownGPSDError(
      recording: "motorola-t805.log", fields: [.mode],
      reason: "reports a three-dimensional fix with only three satellites",
      sentence: "$GPGGA,212625.000,4839.9411,N,00214.9065,E,1,03,3.1,168.0,M,47.3,M,,0000*54"),
    KnownGPSDError(
      recording: "ublox-neo-m9n-nmea.log", fields: [.satellites],
      reason: "treats number 33 of a BeiDou list as an SBAS satellite",
      sentence: "$GBGSV,2,2,07,30,38,312,37,32,46,196,44,33,19,043,28,1*45"),
    KnownGPSDError(
      recording: "ublox-zed-f9p-nmea.log", fields: [.satellites],
      reason: "treats number 33 of a Galileo list as an SBAS satellite",
      sentence: "$GAGSV,3,3,09,33,62,034,08,7*41"),
  ]
}
