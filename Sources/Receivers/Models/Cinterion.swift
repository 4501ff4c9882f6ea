// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Cinterion: modems.
  static let cinterion: [ReceiverModel] = [
    modem(0x1E2D, 0x0053, "Cinterion modem", [1]), modem(0x1E2D, 0x005B, "Cinterion modem", [4]),
    modem(0x1E2D, 0x005D, "Cinterion modem", [4]), modem(0x1E2D, 0x0061, "Cinterion modem", [4]),
    modem(0x1E2D, 0x0069, "Cinterion modem", [4]), modem(0x1E2D, 0x006F, "Cinterion modem", [4]),
  ]
}
