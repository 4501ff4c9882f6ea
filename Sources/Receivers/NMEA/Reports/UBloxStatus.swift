// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The navigation status of PUBX,00; a raw value consists of two ASCII characters.
enum UBloxStatus: UInt64 {
  case noFix = 0x4E46
  case deadReckoning = 0x4452
  case standalone2D = 0x4732
  case standalone3D = 0x4733
  case differential2D = 0x4432
  case differential3D = 0x4433
  case combined = 0x524B
  case timeOnly = 0x5454

  var hasPosition: Bool { self != .noFix && self != .timeOnly }

  var mode: FixMode? {
    switch self {
    case .noFix, .timeOnly: FixMode.none
    case .standalone2D, .differential2D: .twoDimensional
    case .standalone3D, .differential3D: .threeDimensional
    case .deadReckoning, .combined: nil
    }
  }

  var status: FixStatus? {
    switch self {
    case .noFix, .timeOnly: nil
    case .standalone2D, .standalone3D: .autonomous
    case .differential2D, .differential3D: .differential
    case .deadReckoning: .deadReckoning
    case .combined: .combined
    }
  }
}
