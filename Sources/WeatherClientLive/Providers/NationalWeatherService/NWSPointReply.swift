// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// The forecast office and grid cell of a point.
///
/// The URLs in the reply are not used, since their host may differ from the configured host.
struct NWSPointReply: Decodable {
  struct Properties: Decodable {
    var gridId: String?
    var gridX: NumberOrText?
    var gridY: NumberOrText?
    /// The IANA time zone.
    var timeZone: String?
  }

  var properties: Properties

  /// Returns the path of the grid cell.
  ///
  /// - Throws: `unsupported` if the point is outside all grids, as in parts of Alaska; `malformed`
  ///   if the office or the cell is invalid.
  func gridPath() throws(WeatherError) -> String {
    guard let office = properties.gridId else {
      throw .unsupported("a forecast outside the forecast grids")
    }
    guard !office.isEmpty, office.utf8.count <= 8,
      office.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
    else { throw .malformed(field: "properties.gridId", reason: "is not an office") }
    guard let x = properties.gridX?.integer, let y = properties.gridY?.integer,
      (0...9999).contains(x), (0...9999).contains(y)
    else { throw .malformed(field: "properties.gridX", reason: "is not a grid cell") }
    return "/gridpoints/\(office)/\(x),\(y)"
  }
}

/// A JSON number, or a string that may contain a number.
enum NumberOrText: Decodable, Equatable {
  case number(Double)
  case text(String)

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }

  /// The value as an integer, or `nil` if the value is not an integer.
  var integer: Int? {
    switch self {
    case .number(let number): Int(exactly: number)
    case .text(let text): Int(text)
    }
  }
}
