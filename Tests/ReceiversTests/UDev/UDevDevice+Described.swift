// SPDX-License-Identifier: Apache-2.0

@testable import Receivers

extension UDevDevice {
  /// Makes a USB device as described by udev after its rules have run.
  static func usb(
    _ id: USBID, devnode: String = "/dev/ttyACM0", port: String = "1-2", interface: UInt8 = 0,
    serial: String? = nil, hasLinks: Bool = true
  ) -> UDevDevice {
    let usb = "/sys/devices/pci0000:00/0000:00:14.0/usb1/\(port)"
    let kernelName = devnode.split(separator: "/").last.map(String.init) ?? ""
    var device = UDevDevice(
      devnode: devnode, syspath: "\(usb)/\(port):1.\(interface)/tty/\(kernelName)")
    device.usbID = id
    device.usbSyspath = usb
    device.interfaceNumber = interface
    device.serialNumber = serial
    device.modelName = "Model"
    if hasLinks {
      let identity = "Maker_Model" + (serial.map { "_" + $0 } ?? "")
      device.links = [
        "/dev/serial/by-path/pci-0000:00:14.0-usb-0:\(port.dropFirst(2)):1.\(interface)",
        "/dev/serial/by-id/usb-\(identity)-if0\(interface)",
      ]
    }
    return device
  }

  /// Makes a UART of the board.
  static func uart(_ devnode: String = "/dev/ttyAMA0", links: [String] = []) -> UDevDevice {
    let kernelName = devnode.split(separator: "/").last.map(String.init) ?? ""
    var device = UDevDevice(
      devnode: devnode, syspath: "/sys/devices/platform/soc/uart/tty/\(kernelName)")
    device.links = links
    device.hasUART = true
    return device
  }
}

extension USBID {
  static let uBlox7 = USBID(0x1546, 0x01A7)
  static let pl2303 = USBID(0x067B, 0x2303)
  static let quectel = USBID(0x2C7C, 0x0125)
  static let keyboard = USBID(0x046D, 0xC31C)
}
