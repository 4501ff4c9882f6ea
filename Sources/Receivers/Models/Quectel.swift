// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Quectel: modems; interface 1 sends positions.
  static let quectel: [ReceiverModel] = [
    modem(0x2C7C, 0x0125, "Quectel EC25", [1]), modem(0x2C7C, 0x0191, "Quectel EG91", [1]),
    modem(0x2C7C, 0x0195, "Quectel EG95", [1]), modem(0x2C7C, 0x0296, "Quectel BG96", [1]),
    modem(0x2C7C, 0x0306, "Quectel EG06", [1]), modem(0x2C7C, 0x0800, "Quectel RM500Q", [1]),
  ]
}
