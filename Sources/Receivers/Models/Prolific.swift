// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Prolific: serial converters, and one product id that is used by a receiver only.
  static let prolific: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x067B, 0x2303), "Prolific PL2303 converter", kind: .candidate,
      speeds: usualSpeedsBaud, quirks: [.mayResetOnOpen]),
    // Sold with Microsoft Streets and Trips 2005.
    ReceiverModel(USBID(0x067B, 0xAAA0), "PS-360 OEM", kind: .specific, speeds: [4800]),
  ]
}
