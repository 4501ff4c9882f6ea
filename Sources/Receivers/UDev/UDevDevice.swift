// SPDX-License-Identifier: Apache-2.0

/// A serial device as described by udev; its devnode has not been opened.
public struct UDevDevice: Equatable, Sendable {
  /// The devnode, such as `/dev/ttyACM0`.
  public var devnode: String
  /// The path in sysfs: identifies the device until it is unplugged.
  public var syspath: String
  /// The links to the devnode that udev rules created.
  public var links: [String] = []
  /// The vendor and product ids; `nil` if the device is not a USB device.
  public var usbID: USBID?
  /// The sysfs path of the USB device that the port belongs to.
  public var usbSyspath: String?
  /// The number of the USB interface; `nil` if the device is not a USB device.
  public var interfaceNumber: UInt8?
  /// The manufacturer's name as stored in the device.
  public var vendorName: String?
  /// The model name as stored in the device.
  public var modelName: String?
  /// The serial number; many receivers have none.
  public var serialNumber: String?
  /// The kernel driver.
  public var driver: String?
  /// The property `ID_FIXCAST` that Fixcast's udev rules set; `nil` without a matching rule.
  public var claim: String?
  /// Whether the device has the tag that Fixcast's udev rules set.
  public var isTagged = false
  /// Whether ModemManager's rules mark the device as a modem's GPS port.
  public var isModemPositionPort = false
  /// Whether udevd has run its rules for the device.
  public var isInitialized = true
  /// Whether hardware exists behind the UART; `nil` if the device is not a UART.
  public var hasUART: Bool?

  /// Makes a device with only its devnode and sysfs path set.
  public init(devnode: String, syspath: String) {
    self.devnode = devnode
    self.syspath = syspath
  }

  /// The link under `/dev/serial/by-id/`, named after manufacturer, model and serial number.
  public var byIDLink: String? { link(in: "/dev/serial/by-id/") }

  /// The link under `/dev/serial/by-path/`, named after the port that the device is plugged into.
  public var byPathLink: String? { link(in: "/dev/serial/by-path/") }

  // Returns the alphabetically first link, because udev lists links in any order.
  private func link(in folder: String) -> String? {
    links.filter { $0.hasPrefix(folder) && $0.utf8.count > folder.utf8.count }.min()
  }

  /// Whether a path is the devnode or one of the links of the device.
  public func hasName(_ name: String) -> Bool { name == devnode || links.contains(name) }
}
