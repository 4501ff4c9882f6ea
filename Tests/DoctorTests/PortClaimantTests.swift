// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

@testable import Doctor

@Suite("Doctor findings about brltty and ModemManager")
struct PortClaimantTests {
  private static let brlttyRule = """
    # ENV{PRODUCT}=="10c4/ea60/*" is disabled
    ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="brltty_usb_run"
    """

  private func find(
    _ files: [String: String], links: [String: String] = [:]
  ) throws -> DoctorSnapshot.PortClaimants {
    let folder = try ScratchFolder()
    for (path, text) in files { try folder.write(String(path.dropFirst()), text) }
    for (path, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + path, withDestinationPath: target)
    }
    return PortClaimantFinder(root: folder.path).claimants
  }

  private func findings(_ claimants: DoctorSnapshot.PortClaimants) -> [DoctorFinding] {
    var snapshot = DoctorSnapshot()
    snapshot.portClaimants = claimants
    return findings(snapshot)
  }

  private func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    Doctor.examine(snapshot).filter { ["brltty", "ModemManager"].contains($0.subject) }
  }

  @Test
  func `a converter that brltty has taken is a problem, with the command that removes brltty`()
    throws
  {
    let claimants = try find(
      [
        "/usr/lib/udev/rules.d/85-brltty.rules": Self.brlttyRule, "/proc/812/comm": "brltty\n",
        "/sys/bus/usb/devices/1-1/idVendor": "1a86\n",
        "/sys/bus/usb/devices/1-1/idProduct": "7523\n",
        "/sys/bus/usb/devices/1-1:1.0/bInterfaceNumber": "00\n",
        "/sys/bus/usb/devices/1-2/idVendor": "1546\n",
        "/sys/bus/usb/devices/1-2/idProduct": "01a8\n",
      ],
      links: ["/sys/bus/usb/devices/1-1:1.0/driver": "../../../bus/usb/drivers/usbfs"])
    #expect(claimants.convertersWithoutPort == ["1a86:7523"])
    let found = findings(claimants)
    #expect(found.map(\.severity) == [.bad] && found.first?.subject == "brltty")
    #expect(
      found.first?.text
        == "brltty takes the USB serial converter 1a86:7523 for a Braille display, so it has no "
        + "serial port")
    #expect(found.first?.remedy?.hasPrefix("sudo apt remove brltty   ") == true)
  }

  @Test func `a udev rule of brltty for converters is a note, and a converter with a port is none`()
    throws
  {
    let claimants = try find(
      [
        "/usr/lib/udev/rules.d/85-brltty.rules": Self.brlttyRule,
        "/sys/bus/usb/devices/1-1/idVendor": "10c4\n",
        "/sys/bus/usb/devices/1-1/idProduct": "ea60\n",
        "/sys/bus/usb/devices/1-1:1.0/bInterfaceNumber": "00\n",
      ],
      links: ["/sys/bus/usb/devices/1-1:1.0/driver": "../../../bus/usb/drivers/cp210x"])
    #expect(
      claimants.brlttyRules
        == .init(path: "/usr/lib/udev/rules.d/85-brltty.rules", chips: ["CH340"]))
    #expect(!claimants.brlttyIsRunning && claimants.convertersWithoutPort.isEmpty)
    let found = findings(claimants)
    #expect(found.map(\.severity) == [.note])
    #expect(
      found.first?.text.hasPrefix("/usr/lib/udev/rules.d/85-brltty.rules gives CH340") == true)
  }

  @Test func `rules of brltty that are masked, or that name no converter, are no finding`() throws {
    let masked = try find([
      "/usr/lib/udev/rules.d/85-brltty.rules": Self.brlttyRule,
      "/etc/udev/rules.d/85-brltty.rules": "",
    ])
    #expect(masked == .init() && findings(masked).isEmpty)
    let other = try find([
      "/lib/udev/rules.d/90-brltty.rules": "# 1a86/7523\nENV{PRODUCT}==\"c251/1126/*\"\n"
    ])
    #expect(findings(other).isEmpty)
  }

  @Test(
    arguments: [
      // As in the rules of Ubuntu 22.04 and of brltty 6.
      (#"ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="run""#, ["CH340"]),
      (#"ENV{PRODUCT}=="10c4/ea60/*", ENV{BRLTTY_BRAILLE_DRIVER}="mm,sk", GOTO="run""#, ["CP210x"]),
      (
        #"ENV{PRODUCT}=="403/6001/*", ATTRS{manufacturer}=="FTDI", "#
          + #"ENV{BRLTTY_BRAILLE_DRIVER}="hd,hm,ht", GOTO="run""#, ["FT232R"]
      ),
      (
        #"ENV{PRODUCT}=="403/6001/*", ATTRS{manufacturer}=="Hedo Reha Technik GmbH", "#
          + #"ENV{BRLTTY_BRAILLE_DRIVER}="hd", GOTO="run""#, nil
      ),
      (
        #"ENV{PRODUCT}=="1a86/7523/*", ATTRS{idVendor}=="1a40", ENV{BRLTTY_BRAILLE_DRIVER}="bm""#,
        nil
      ),
      (#"ENV{PRODUCT}=="1a86/75230/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="run""#, nil),
      // Written by users to keep brltty off their converter.
      (#"ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523", ENV{BRLTTY_BRAILLE_DRIVER}="""#, nil),
      (#"ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="", GOTO="end""#, nil),
      (##"#ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="run""##, nil),
    ] as [(String, [String]?)])
  func `a rule of brltty is a finding only if it matches every device with the chip`(line: String, chips: [String]?)
    throws
  {
    let path = "/usr/lib/udev/rules.d/90-brltty-device.rules"
    #expect(try find([path: "LABEL=\"begin\"\n\(line)\n"]).brlttyRules?.chips == chips)
  }

  @Test func `a running brltty without rules is a note`() throws {
    let found = findings(try find(["/proc/9/comm": "brltty\n", "/proc/x/comm": "other\n"]))
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.text == "brltty is running and may take the serial port of a receiver")
  }

  @Test func `a running ModemManager is a note if a port may be a receiver's`() throws {
    var snapshot = DoctorSnapshot()
    snapshot.portClaimants = try find(["/proc/7/comm": "ModemManager\n"])
    #expect(snapshot.portClaimants.modemManagerIsRunning)
    #expect(findings(snapshot).isEmpty)
    let receiver = DoctorSnapshot.Device(devnode: "/dev/ttyACM0", role: .receiver)
    var candidate = DoctorSnapshot.Device(devnode: "/dev/ttyUSB0", role: .candidate)
    snapshot.devices = [receiver, candidate]
    // Without Fixcast's rules, ModemManager may also use known receivers.
    #expect(
      findings(snapshot).map(\.text)
        == ["ModemManager is running and may send commands to /dev/ttyACM0, /dev/ttyUSB0"])
    snapshot.rules = DoctorSnapshot.ruleNames.map { .init($0, .installed(path: "/etc/\($0)")) }
    let found = findings(snapshot)
    #expect(found.map(\.severity) == [.note])
    #expect(
      found.map(\.text) == ["ModemManager is running and may send commands to /dev/ttyUSB0"])
    #expect(
      found.first?.remedy
        == #"echo 'ENV{ID_FIXCAST}=="candidate", ENV{ID_MM_DEVICE_IGNORE}="1"' | "#
        + "sudo tee /etc/udev/rules.d/62-no-modem.rules && sudo udevadm control --reload && "
        + "sudo udevadm trigger --subsystem-match=tty && sudo systemctl restart ModemManager"
        + "   (unless one is a modem)")
    candidate.isIgnoredByModemManager = true
    snapshot.devices = [receiver, candidate]
    #expect(findings(snapshot).isEmpty)
  }

  @Test(arguments: [
    ("S:serial\nE:ID_MM_DEVICE_IGNORE=1\n", true), ("E:ID_MM_PORT_IGNORE=1", true),
    ("E:ID_MM_DEVICE_IGNORE=0\nE:ID_MM_CANDIDATE=1\n", false), ("", false),
  ])
  func `udev's database tells whether ModemManager ignores a device`(text: String, isIgnored: Bool) {
    #expect(PortClaimantFinder.isIgnored(byProperties: text) == isIgnored)
  }
}
