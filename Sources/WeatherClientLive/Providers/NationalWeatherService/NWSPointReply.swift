// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Which cell of which office's grid a point is in.
///
/// The reply names whole URLs too; these are not followed, as they may be of another host than the
/// one that was configured.
struct NWSPointReply: Decodable {
  struct Properties: Decodable {
    var gridId: String?
    var gridX: NumberOrText?
    var gridY: NumberOrText?
  }

  var properties: Properties

  /// The grid cell's path.
  ///
  /// - Throws: `unsupported` where the point is in no grid, as in parts of Alaska; `malformed`
  ///   where the cell is none.
  func gridPath() throws(WeatherError) -> String {
    guard let office = properties.gridId else {
      throw .unsupported("a forecast where there is no grid")
    }
    guard !office.isEmpty, office.utf8.count <= 8,
      office.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
    else { throw .malformed(field: "properties.gridId", reason: "is no office") }
    guard let x = properties.gridX?.integer, let y = properties.gridY?.integer,
      (0...9999).contains(x), (0...9999).contains(y)
    else { throw .malformed(field: "properties.gridX", reason: "is no cell of a grid") }
    return "/gridpoints/\(office)/\(x),\(y)"
  }
}

/// A number that some write as a text.
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

  /// The whole number meant; `nil` where it is none.
  var integer: Int? {
    switch self {
    case .number(let number): Int(exactly: number)
    case .text(let text): Int(text)
    }
  }
}
