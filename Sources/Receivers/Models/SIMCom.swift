// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// SIMCom: modems; interface 1 sends positions.
  static let simCom: [ReceiverModel] = [
    modem(0x1E0E, 0x9001, "SIMCom modem", [1]), modem(0x1E0E, 0x9205, "SIMCom modem", [1]),
    modem(0x1E0E, 0x9206, "SIMCom modem", [1]),
  ]
}
