// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Receivers
@testable import fixcast

/// The output of `fixcast devices` for one device.
@Suite struct DeviceRowTests {
  private func receiver(named name: String) -> DiscoveredReceiver {
    var machine = DiscoveryMachine(policy: DiscoveryPolicy(), waitsForRules: false)
    var device = UDevDevice(devnode: "/dev/ttyACM0", syspath: "/sys/devices/a")
    device.usbID = USBID(vendor: "1546", product: "01a7")
    if name != device.devnode { device.links = ["/dev/serial/by-id/\(name)"] }
    let events = machine.handle(.present(device))
    return events.compactMap(\.receiver)[0]
  }

  @Test func `a device without a stable name shows its device node once`() throws {
    let unnamed = try #require(DeviceRow(.found(receiver(named: "/dev/ttyACM0"))))
    #expect(unnamed.receiver.name == "/dev/ttyACM0")
    #expect(unnamed.columns.count { $0 == "/dev/ttyACM0" } == 1)
    #expect(unnamed.columns.last == "-")
    #expect(unnamed.line.ranges(of: "/dev/ttyACM0").count == 1, "\(unnamed.line)")
    let named = try #require(DeviceRow(.found(receiver(named: "usb-u-blox-if00"))))
    #expect(named.columns.last == "usb-u-blox-if00")
    #expect(named.line.contains(", usb-u-blox-if00"))
  }

  @Test func `the devices command shows control characters in a process name as visible symbols`()
    throws
  {
    var row = try #require(DeviceRow(.found(receiver(named: "usb-u-blox-if00"))))
    let holder = PortHolders.Holder(processID: 7, program: "\u{1B}[31mpwn\u{1B}]0;x\u{07}")
    row.holders = [holder]
    #expect(row.columns.contains("␛[31mpwn␛]0;x␇ (7)"))
    #expect(row.line.contains("held by ␛[31mpwn␛]0;x␇ (7)"))
  }

  @Test func `another program on gpsd's port is described, without advice to start gpsd`()
    throws
  {
    var row = try #require(DeviceRow(.found(receiver(named: "usb-u-blox-if00"))))
    for presence in [GPSDPresence.other(.sendsNothing), .other(.closesConnection)] {
      row.gpsd = DeviceRow.gpsd(of: row.receiver, presence: presence, isConfigured: true)
      let remark = try #require(row.remark)
      guard case .other(let behavior) = presence else { continue }
      #expect(remark.contains("\(behavior)"))
      #expect(!remark.contains("is not running") && !remark.contains("Start gpsd"))
    }
    #expect(DeviceRow.gpsd(of: row.receiver, presence: .absent, isConfigured: true) == .isAbsent)
    #expect(
      DeviceRow.gpsd(of: row.receiver, presence: .other(.closesConnection), isConfigured: false)
        == nil)
  }

  @Test func `a device that gpsd lists is reported as in use by gpsd`() throws {
    var row = try #require(DeviceRow(.found(receiver(named: "usb-u-blox-if00"))))
    #expect(row.remark == nil)
    row.gpsd = .lists
    #expect(row.remark == "in use by gpsd; its fixes come from gpsd")
    row.gpsd = .lacks
    #expect(row.remark?.hasSuffix("does not have it: sudo gpsdctl add /dev/ttyACM0") == true)
    row.gpsd = .lists
    var candidate = try #require(DeviceRow(.candidate(receiver(named: "usb-u-blox-if00"))))
    candidate.gpsd = .lists
    #expect(candidate.remark == row.remark)
  }
}
