// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// DeLorme: Earthmate receivers whose Cypress USB chips have a fixed baud rate.
  static let deLorme: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x1163, 0x0100), "DeLorme Earthmate", kind: .specific, speeds: [4800]),
    ReceiverModel(
      USBID(0x1163, 0x0200), "DeLorme Earthmate LT-40", kind: .specific, speeds: [4800]),
  ]
}
