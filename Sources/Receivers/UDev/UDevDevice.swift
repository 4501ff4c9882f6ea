// SPDX-License-Identifier: Apache-2.0

/// A serial device as udev describes it; nothing of it was opened.
public struct UDevDevice: Equatable, Sendable {
  /// The devnode, such as `/dev/ttyACM0`.
  public var devnode: String
  /// Where it is in sysfs: its identity for as long as it is plugged in.
  public var syspath: String
  /// All its other names: links that the rules have made.
  public var links: [String] = []
  /// Vendor and product; `nil` where it is not on USB.
  public var usbID: USBID?
  /// Where the USB device that it belongs to is in sysfs.
  public var usbSyspath: String?
  /// The interface's number; `nil` where it is not on USB.
  public var interfaceNumber: UInt8?
  /// What the device calls its maker.
  public var vendorName: String?
  /// What the device calls itself.
  public var modelName: String?
  /// Its serial number; many receivers have none.
  public var serialNumber: String?
  /// The kernel's driver.
  public var driver: String?
  /// What our rules have made of it (`ID_FIXCAST`); `nil` where they are not installed.
  public var claim: String?
  /// Whether our rules have put their tag on it.
  public var isTagged = false
  /// Whether ModemManager's rules call it the port on which positions come.
  public var isModemPositionPort = false
  /// Whether udev's rules have run for it.
  public var isInitialized = true
  /// Whether there is a UART behind it; `nil` where it is no UART.
  public var hasUART: Bool?

  /// Makes a description of which nothing else is known.
  ///
  /// - Parameters:
  ///   - devnode: The devnode.
  ///   - syspath: Where it is in sysfs.
  public init(devnode: String, syspath: String) {
    self.devnode = devnode
    self.syspath = syspath
  }

  /// The link under `/dev/serial/by-id/`, by what the device says of itself.
  public var byIDLink: String? { link(in: "/dev/serial/by-id/") }

  /// The link under `/dev/serial/by-path/`, by the port that it is plugged into.
  public var byPathLink: String? { link(in: "/dev/serial/by-path/") }

  // Sorted: udev gives links in any order, and a port of several names must not change its own.
  private func link(in folder: String) -> String? {
    links.filter { $0.hasPrefix(folder) && $0.utf8.count > folder.utf8.count }.min()
  }

  /// Whether a name that somebody wrote down means it.
  ///
  /// - Parameter name: A devnode, or any of its links.
  /// - Returns: Whether it is one of its names.
  public func isCalled(_ name: String) -> Bool { name == devnode || links.contains(name) }
}
