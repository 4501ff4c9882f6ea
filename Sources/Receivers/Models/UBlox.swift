// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// u-blox AG: receivers with native USB.
  ///
  /// The listed baud rates apply to the receivers' UARTs.
  static let uBlox: [ReceiverModel] = [
    ublox(0x01A5, "u-blox 5", 9600), ublox(0x01A6, "u-blox 6", 9600),
    ublox(0x01A7, "u-blox 7", 9600), ublox(0x01A8, "u-blox 8/M8", 9600),
    ublox(0x01A9, "u-blox 9", 38_400),
  ]

  private static func ublox(_ product: UInt16, _ name: String, _ baud: Int) -> ReceiverModel {
    ReceiverModel(
      USBID(0x1546, product), name, kind: .specific, speeds: [baud], quirks: [.ignoresSpeed])
  }
}
