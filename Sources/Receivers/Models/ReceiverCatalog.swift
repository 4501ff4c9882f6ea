// SPDX-License-Identifier: Apache-2.0

/// What is known by its USB ids, one maker a file.
///
/// `udev/61-fixcast.rules` knows the same specific receivers and candidates; a test holds them
/// against each other.
public enum ReceiverCatalog {
  /// All models, sorted by vendor and product.
  public static let models: [ReceiverModel] = makers.flatMap { $0 }.sorted { $0.id < $1.id }

  static let makers: [[ReceiverModel]] = [
    aten, cinterion, deLorme, dell, foxconn, ftdi, mediaTek, prolific, qinHeng, quectel, sierra,
    siliconLabs, simCom, telit, uBlox,
  ]

  /// The usual speeds of a receiver behind a converter: NMEA's own, then u-blox's of now.
  static let usualSpeedsBaud = [9600, 4800, 38_400, 115_200]

  /// Finds a model.
  ///
  /// - Parameters:
  ///   - id: Vendor and product.
  ///   - interface: The interface's number; `nil` where it is not known.
  /// - Returns: The model that covers the interface; `nil` where there is none.
  public static func model(for id: USBID, interface: UInt8?) -> ReceiverModel? {
    models.first { $0.id == id && $0.covers(interface: interface) }
  }
}

extension ReceiverCatalog {
  /// A modem's port, as ModemManager's rules know it by vendor, product and interface.
  static func modem(
    _ vendor: UInt16, _ product: UInt16, _ name: String, _ interfaces: [UInt8]
  ) -> ReceiverModel {
    ReceiverModel(
      USBID(vendor, product), name, kind: .modemPort, interfaces: interfaces,
      quirks: [.silentUntilEnabled])
  }
}
