// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// QinHeng: serial converters, used on many Arduino boards.
  static let qinHeng: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x1A86, 0x55D4), "QinHeng CH9102 converter", kind: .candidate,
      speeds: usualSpeedsBaud, quirks: [.mayResetOnOpen]),
    ReceiverModel(
      USBID(0x1A86, 0x7523), "QinHeng CH340 converter", kind: .candidate,
      speeds: usualSpeedsBaud, quirks: [.mayResetOnOpen]),
  ]
}
