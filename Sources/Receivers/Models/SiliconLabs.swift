// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// Silicon Labs: serial converters.
  static let siliconLabs: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x10C4, 0xEA60), "Silicon Labs CP210x converter", kind: .candidate,
      speeds: usualSpeedsBaud, quirks: [.mayResetOnOpen]),
    ReceiverModel(
      USBID(0x10C4, 0xEA71), "Silicon Labs CP2108 converter", kind: .candidate,
      speeds: usualSpeedsBaud, quirks: [.mayResetOnOpen]),
  ]
}
