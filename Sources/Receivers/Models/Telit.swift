// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Telit: modems.
  static let telit: [ReceiverModel] = [
    modem(0x1BC7, 0x1004, "Telit modem", [2]), modem(0x1BC7, 0x1005, "Telit modem", [2]),
    modem(0x1BC7, 0x1010, "Telit modem", [1]), modem(0x1BC7, 0x1060, "Telit modem", [3]),
    modem(0x1BC7, 0x1061, "Telit modem", [4]), modem(0x1BC7, 0x1201, "Telit modem", [3]),
    modem(0x1BC7, 0x1204, "Telit modem", [4]),
  ]
}
