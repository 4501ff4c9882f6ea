// SPDX-License-Identifier: Apache-2.0

extension ReceiverCatalog {
  /// MediaTek: receivers with native USB (Holux M-1200E, Qstarz BT-Q1000XT).
  static let mediaTek: [ReceiverModel] = [
    ReceiverModel(
      USBID(0x0E8D, 0x3329), "MediaTek MT3329", kind: .specific, quirks: [.ignoresSpeed])
  ]
}
