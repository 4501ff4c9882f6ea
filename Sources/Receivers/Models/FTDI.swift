// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// FTDI: serial converters.
  static let ftdi: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x0403, 0x6001), "FTDI FT232R converter", kind: .candidate, speeds: usualSpeedsBaud,
      quirks: [.mayResetOnOpen])
  ]
}
