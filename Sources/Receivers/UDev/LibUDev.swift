// SPDX-License-Identifier: Apache-2.0

import CGPS
import Glibc
internal import SystemSupport

/// Enumerates and monitors tty devices with libudev.
///
/// The only code in this folder that calls libudev. Use an instance on one thread only.
struct LibUDev: ~Copyable {
  /// The result of reading the monitor.
  enum Received: Equatable {
    case input(DiscoveryMachine.Input)
    /// No event for a tty device is available.
    case nothing
    /// Events were lost: enumerate the devices again.
    case lost(errorNumber: Int32)
  }

  private let handle: OpaquePointer

  /// Subscribes to events.
  ///
  /// Call ``enumerate()`` afterwards; the reverse order would miss devices added in between.
  init() throws(SystemCallFailure) {
    guard let handle = cgps_udev_open() else {
      throw SystemCallFailure(call: "udev_new", number: ENOMEM)
    }
    self.handle = handle
  }

  deinit { cgps_udev_close(handle) }

  /// Whether udevd is running, so that devices get links and properties.
  var isManaged: Bool { cgps_udev_is_managed(handle) }

  /// The socket for poll(2); `nil` if no events can arrive because udevd is not running.
  var descriptor: Int32? {
    let descriptor = cgps_udev_descriptor(handle)
    return descriptor < 0 ? nil : descriptor
  }

  /// Returns all present tty devices.
  func enumerate() throws(SystemCallFailure) -> [UDevDevice] {
    let result = cgps_udev_scan(handle)
    guard result == 0 else {
      throw SystemCallFailure(call: "udev_enumerate_scan_devices", number: -result)
    }
    var devices: [UDevDevice] = []
    var raw = cgps_udev_device()
    while cgps_udev_next(handle, &raw) == 1 {
      if let device = UDevDevice(raw) { devices.append(device) }
    }
    return devices
  }

  /// Returns the next event without waiting.
  func receive() -> Received {
    var raw = cgps_udev_device()
    switch cgps_udev_receive(handle, &raw) {
    case 1:
      if text(raw.action) == "remove" {
        return text(raw.syspath).map { .input(.absent(syspath: $0)) } ?? .nothing
      }
      return UDevDevice(raw).map { .input(.present($0)) } ?? .nothing
    case 0: return .nothing
    default: return .lost(errorNumber: errno)
    }
  }
}

extension UDevDevice {
  /// Copies a device; returns `nil` if the device has no devnode.
  fileprivate init?(_ raw: cgps_udev_device) {
    guard let devnode = text(raw.devnode), let syspath = text(raw.syspath) else { return nil }
    self.init(devnode: devnode, syspath: syspath)
    links = (text(raw.links) ?? "").split(separator: " ").map(String.init)
    usbSyspath = text(raw.usb_syspath)
    if let vendor = text(raw.vendor_id), let product = text(raw.product_id) {
      usbID = USBID(vendor: vendor, product: product)
    }
    interfaceNumber = text(raw.interface_number).flatMap { UInt8($0, radix: 16) }
    vendorName = text(raw.vendor_name).map(printable)
    modelName = text(raw.model_name).map(printable)
    serialNumber = text(raw.serial_number).map(printable)
    driver = text(raw.driver)
    claim = text(raw.claim)
    isTagged = raw.is_tagged
    isModemPositionPort = raw.is_modem_gps
    isInitialized = raw.is_initialized
    hasUART = raw.uart_type < 0 ? nil : raw.uart_type != 0
  }
}

/// Returns the text of a C array, or `nil` if it is empty.
private func text<Characters>(_ characters: Characters) -> String? {
  withUnsafeBytes(of: characters) { bytes in
    let text = bytes.prefix { $0 != 0 }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}

/// Replaces control characters by `?`, so that a device's text cannot control a terminal.
private func printable(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map {
        $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0
      }))
}
