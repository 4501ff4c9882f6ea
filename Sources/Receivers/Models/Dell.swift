// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Dell: modems; interface 4 sends positions.
  static let dell: [ReceiverModel] = [
    modem(0x413C, 0x81D7, "Dell modem", [4]), modem(0x413C, 0x81E0, "Dell modem", [4]),
  ]
}
