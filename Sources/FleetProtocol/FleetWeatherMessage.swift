// SPDX-License-Identifier: Apache-2.0

/// The message of the topic `weather`: a report that the consumer looked up for the board's cell.
///
/// `Report` is the `WeatherReport` of WeatherClient, which this module does not import.
package struct FleetWeatherMessage<Report: Codable> {
  /// The age of the report in seconds when the message was published, 0 to 86,400.
  ///
  /// The board adds the time since the arrival by its monotonic clock, since its wall clock may be
  /// wrong.
  package var ageSeconds: Int64
  package var report: Report

  package init(_ report: Report, ageSeconds: Int64) {
    self.report = report
    self.ageSeconds = min(max(ageSeconds, 0), 86_400)
  }

  private struct Wire: Codable {
    var `class` = "WEATHER"
    var v = FleetBatch.version
    var via = "fleet"
    var age: Int64
    var report: Report
  }

  /// The message; empty if the report contains a number that is not finite.
  package var json: [UInt8] { FleetJSON.encode(Wire(age: ageSeconds, report: report)) }

  /// Decodes a message; any bytes give a message or a ``FleetError``.
  package init(json: [UInt8]) throws(FleetError) {
    let wire: Wire = try FleetJSON.decode(json)
    guard wire.class == "WEATHER" else { throw .invalid(member: "class") }
    guard (0...86_400).contains(wire.age) else { throw .invalid(member: "age") }
    self.init(wire.report, ageSeconds: wire.age)
  }
}

extension FleetWeatherMessage: Sendable where Report: Sendable {}
extension FleetWeatherMessage: Equatable where Report: Equatable {}
