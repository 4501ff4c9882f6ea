// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// ATEN: a serial converter.
  ///
  /// gpsd treats the converter as a receiver.
  static let aten: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x0557, 0x2008), "ATEN UC-232A converter", kind: .candidate, speeds: usualSpeedsBaud,
      quirks: [.mayResetOnOpen])
  ]
}
