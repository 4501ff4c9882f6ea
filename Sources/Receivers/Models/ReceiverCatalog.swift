// SPDX-License-Identifier: Apache-2.0

/// The catalog of all known models, which are identified by USB ids.
///
/// `udev/61-fixcast.rules` contains the same specific receivers and candidates; a test compares
/// both lists.
public enum ReceiverCatalog {
  /// All models, sorted by vendor and product.
  public static let models: [ReceiverModel] = makers.flatMap { $0 }.sorted { $0.id < $1.id }

  static let makers: [[ReceiverModel]] = [
    aten, cinterion, deLorme, dell, foxconn, ftdi, mediaTek, prolific, qinHeng, quectel, sierra,
    siliconLabs, simCom, telit, uBlox,
  ]

  /// The usual baud rates of a receiver behind a converter, most common first.
  static let usualSpeedsBaud = [9600, 4800, 38_400, 115_200]

  /// Returns the model with this id that covers the USB interface, or `nil` if there is none.
  ///
  /// Pass `nil` for an unknown interface.
  public static func model(for id: USBID, interface: UInt8?) -> ReceiverModel? {
    models.first { $0.id == id && $0.covers(interface: interface) }
  }
}

extension ReceiverCatalog {
  /// Makes the model of a modem's GPS port, with the interfaces listed in ModemManager's rules.
  static func modem(
    _ vendor: UInt16, _ product: UInt16, _ name: String, _ interfaces: [UInt8]
  ) -> ReceiverModel {
    ReceiverModel(
      USBID(vendor, product), name, kind: .modemPort, interfaces: interfaces,
      quirks: [.silentUntilEnabled])
  }
}
