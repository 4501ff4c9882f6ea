// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Foxconn: modems; interface 4 sends positions.
  static let foxconn: [ReceiverModel] = [
    modem(0x0489, 0xE0B4, "Foxconn modem", [4]), modem(0x0489, 0xE0B5, "Foxconn modem", [4]),
  ]
}
