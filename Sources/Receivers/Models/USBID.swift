// SPDX-License-Identifier: Apache-2.0

/// The vendor and product ids of a USB device.
public struct USBID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The vendor id, assigned by the USB Implementers Forum.
  public let vendor: UInt16
  /// The product id, assigned by the vendor.
  public let product: UInt16

  /// Makes an id.
  public init(_ vendor: UInt16, _ product: UInt16) {
    self.vendor = vendor
    self.product = product
  }

  /// Parses two texts of four hexadecimal digits each, the format of sysfs.
  ///
  /// Returns `nil` for any other text.
  ///
  /// - Parameters:
  ///   - vendor: The vendor id, such as `1546`.
  ///   - product: The product id, such as `01a7`.
  public init?(vendor: String, product: String) {
    guard let vendor = Self.number(vendor), let product = Self.number(product) else { return nil }
    self.init(vendor, product)
  }

  private static func number(_ text: String) -> UInt16? {
    guard text.utf8.count == 4, text.utf8.first != UInt8(ascii: "+") else { return nil }
    return UInt16(text, radix: 16)
  }

  /// Orders by vendor, then product.
  public static func < (left: USBID, right: USBID) -> Bool {
    (left.vendor, left.product) < (right.vendor, right.product)
  }

  /// The vendor id as four hexadecimal digits.
  public var vendorText: String { Self.digits(vendor) }
  /// The product id as four hexadecimal digits.
  public var productText: String { Self.digits(product) }

  private static func digits(_ number: UInt16) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  /// The ids in the format of lsusb(8), such as `1546:01a7`.
  public var description: String { "\(vendorText):\(productText)" }
}
