// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Receivers

/// Names that receivers keep when they are replugged.
@Suite struct StableNamesTests {
  @Test func `two receivers of one model without serial numbers keep different names when replugged`() {
    var names = StableNames()
    let first = UDevDevice.usb(.uBlox7, port: "1-2")
    let second = UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", port: "1-3")
    #expect(names.name(of: first) == "usb-Maker_Model-if00")
    #expect(names.name(of: second) == "pci-0000:00:14.0-usb-0:3:1.0")
    // Both receivers are unplugged; then the second receiver returns first, as /dev/ttyACM0.
    names.release(syspath: first.syspath)
    names.release(syspath: second.syspath)
    let again = UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM0", port: "1-3")
    #expect(names.name(of: again) == "pci-0000:00:14.0-usb-0:3:1.0")
    #expect(names.name(of: first) == "usb-Maker_Model-if00")
  }

  @Test func `the path to configure leads to one device, and is the devnode only without links`() {
    func path(_ device: UDevDevice, named name: String, among others: [UDevDevice] = []) -> String {
      func receiver(_ device: UDevDevice) -> DiscoveredReceiver {
        DiscoveredReceiver(name: name, role: .converter, model: nil, device: device)
      }
      return receiver(device).stablePath(among: (others + [device]).map(receiver))
    }
    let byID = "usb-Maker_Model-if00"
    let byPath = "pci-0000:00:14.0-usb-0:2:1.0"
    let first = UDevDevice.usb(.pl2303, port: "1-2")
    let twin = UDevDevice.usb(.pl2303, devnode: "/dev/ttyUSB1", port: "1-3")
    let other = UDevDevice.usb(.pl2303, devnode: "/dev/ttyUSB2", port: "1-4", serial: "A1")
    #expect(path(first, named: byID) == "/dev/serial/by-id/\(byID)")
    #expect(path(first, named: byID, among: [other]) == "/dev/serial/by-id/\(byID)")
    #expect(path(first, named: byPath) == "/dev/serial/by-path/\(byPath)")
    #expect(path(first, named: byID, among: [twin]) == "/dev/serial/by-path/\(byPath)")
    let unlinked = UDevDevice.usb(.pl2303, hasLinks: false)
    let otherUnlinked = UDevDevice.usb(.pl2303, devnode: "/dev/ttyACM1", port: "1-3", hasLinks: false)
    #expect(path(unlinked, named: "usb-1-2-if00", among: [otherUnlinked]) == "/dev/ttyACM0")
  }

  @Test func `a device without links is named after its ids and serial number, its port or its devnode`() {
    #expect(
      StableNames.names(of: .usb(.uBlox7, interface: 10, serial: "A1", hasLinks: false))
        == ["1546:01a7-A1-if0a", "usb-1-2-if0a", "/dev/ttyACM0"])
    #expect(StableNames.names(of: .uart("/dev/ttyS0")) == ["/dev/ttyS0"])
  }

  @Test func `a device keeps its name when its links change`() {
    var names = StableNames()
    var device = UDevDevice.usb(.uBlox7, serial: "A1", hasLinks: false)
    #expect(names.name(of: device) == "1546:01a7-A1-if00")
    device.links = ["/dev/serial/by-id/usb-late"]
    #expect(names.name(of: device) == "1546:01a7-A1-if00")
  }

  @Test func `devices keep the names from a previous discovery, in any order of the devices`() {
    let first = UDevDevice.usb(.uBlox7, port: "1-2")
    let second = UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", port: "1-3")
    let (byID, byPort) = ("usb-Maker_Model-if00", "pci-0000:00:14.0-usb-0:2:1.0")
    let given = [second.syspath: byID, first.syspath: byPort, "/sys/gone": "usb-gone"]
    var policy = DiscoveryPolicy()
    policy.names = given
    var machine = DiscoveryMachine(policy: policy, waitsForRules: true)
    let reported = machine.handle(.enumerated([first, second])).compactMap(\.receiver?.name)
    #expect(reported == [byPort, byID])
    // The names are also kept after replugging.
    for device in [first, second] { _ = machine.handle(.absent(syspath: device.syspath)) }
    let again = [first, second].flatMap { machine.handle(.present($0)) }
    #expect(again.compactMap(\.receiver?.name) == [byPort, byID])
    var names = StableNames(previous: given)
    names.forget(allBut: [])
    #expect(names.name(of: first) == byID)
  }

  @Test func `any number of receivers get names, although only 256 names are remembered`() {
    var names = StableNames()
    for number in 0..<2000 {
      let device = UDevDevice.usb(.uBlox7, serial: "\(number)")
      #expect(names.name(of: device) == "usb-Maker_Model_\(number)-if00")
      names.release(syspath: device.syspath)
    }
  }
}
