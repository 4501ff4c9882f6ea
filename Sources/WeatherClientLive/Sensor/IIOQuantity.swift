// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// How Linux' Industrial I/O names a quantity, and in what unit it gives it.
///
/// Kernel documentation, `Documentation/ABI/testing/sysfs-bus-iio`: `in_temp_input` in thousandths
/// of a degree Celsius, `in_pressure_input` in kilopascals, `in_humidityrelative_input` in
/// thousandths of a percent; the same after scaling for `(_raw + _offset) * _scale`.
struct IIOQuantity {
  let quantity: SensorFault.Quantity
  /// The attributes' common beginning.
  let channel: String
  /// How many of the reading's units the kernel's unit is.
  let factor: Double
  /// What the air of the earth, and a box in the sun, can be, in the reading's unit.
  let range: ClosedRange<Double>
  let field: any WritableKeyPath<SensorReading, Double?> & Sendable

  static let all = [
    IIOQuantity(
      quantity: .temperature, channel: "in_temp", factor: 0.001, range: -90...85,
      field: \.temperatureDegreesCelsius),
    IIOQuantity(
      quantity: .pressure, channel: "in_pressure", factor: 10, range: 300...1100,
      field: \.pressureStationHectopascals),
    // No air is drier than a tenth of a percent: below, a broken sensor reads 0, or its driver
    // gives percent where thousandths are due, and which of them nobody can tell.
    IIOQuantity(
      quantity: .humidity, channel: "in_humidityrelative", factor: 0.001, range: 0.1...100,
      field: \.humidityPercent),
  ]

  /// Measures by the attributes of a device.
  ///
  /// - Parameter read: Reads an attribute; `nil` where the device has none of that name.
  /// - Returns: The value in the reading's unit; `nil` where the device does not measure this.
  /// - Throws: Why it could not be measured, where the device should.
  func measure(
    read: (String) throws(SensorFault.Reason) -> String?
  ) throws(SensorFault.Reason) -> Double? {
    if let text = try read(channel + "_input") { return try checked(Self.number(text)) }
    guard let raw = try read(channel + "_raw") else { return nil }
    guard let scale = try read(channel + "_scale") else { throw .withoutScale }
    let offset = try read(channel + "_offset")
    return try checked(
      (Self.number(raw) + Self.number(offset ?? "0")) * Self.number(scale))
  }

  private func checked(_ value: Double) throws(SensorFault.Reason) -> Double {
    let value = value * factor
    guard range.contains(value) else { throw .outOfRange(value) }
    return value
  }

  /// A decimal number on a line of its own, as the kernel prints them: no `nan`, no `0x`, no `e`.
  private static func number(_ text: String) throws(SensorFault.Reason) -> Double {
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).first ?? ""
    guard line.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 || $0 == 46 }),
      let value = Double(line), value.isFinite
    else {
      let shown = text.unicodeScalars.prefix(24).map { $0.isASCII && $0.value > 31 ? $0 : "?" }
      throw .notANumber(String(String.UnicodeScalarView(shown)))
    }
    return value
  }
}
