// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// The names and units of a quantity in the Linux Industrial I/O subsystem.
///
/// See `Documentation/ABI/testing/sysfs-bus-iio` in the kernel: `in_temp_input` is in thousandths
/// of a degree Celsius, `in_pressure_input` in kilopascals, `in_humidityrelative_input` in
/// thousandths of a percent. The value of `(_raw + _offset) * _scale` is in the same units.
struct IIOQuantity {
  let quantity: SensorFault.Quantity
  /// The common prefix of the attribute names.
  let channel: String
  /// The factor from the kernel's unit to the unit of the reading.
  let factor: Double
  /// The plausible values outdoors and in a case in the sun, in the unit of the reading.
  let range: ClosedRange<Double>
  let field: any WritableKeyPath<SensorReading, Double?> & Sendable

  static let all = [
    IIOQuantity(
      quantity: .temperature, channel: "in_temp", factor: 0.001, range: -90...85,
      field: \.temperatureDegreesCelsius),
    IIOQuantity(
      quantity: .pressure, channel: "in_pressure", factor: 10, range: 300...1100,
      field: \.pressureStationHectopascals),
    // Air is never drier than 0.1 %. A lower value comes from a broken sensor, or from a driver
    // that reports percent instead of thousandths.
    IIOQuantity(
      quantity: .humidity, channel: "in_humidityrelative", factor: 0.001, range: 0.1...100,
      field: \.humidityPercent),
  ]

  /// Reads the quantity from the attributes of a device.
  ///
  /// - Parameter read: Reads an attribute; returns `nil` if the device lacks the attribute.
  /// - Returns: The value in the unit of the reading, or `nil` if the device does not
  ///   measure the quantity.
  /// - Throws: The reason why the measurement failed.
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

  /// Parses the first line as a decimal number in the kernel's format.
  ///
  /// Throws `notANumber` for other formats, such as `nan`, hexadecimal numbers and exponents.
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
