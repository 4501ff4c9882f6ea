// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Sierra Wireless: modems; interface 2 sends positions.
  static let sierra: [ReceiverModel] = [
    modem(0x1199, 0x9071, "Sierra Wireless modem", [2]),
    modem(0x1199, 0x9091, "Sierra Wireless modem", [2]),
  ]
}
