// SPDX-License-Identifier: Apache-2.0

import Doctor
import FixcastTesting
import PathMonitorClient
import Receivers
import Testing

/// Findings about devices, gpsd and the network path.
@Suite struct DoctorTests {
  private func snapshot(
    _ devices: DoctorSnapshot.Device..., gpsd: Bool = false,
    rules: DoctorSnapshot.Rule.State = .installed(path: "/r")
  ) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    snapshot.devices = devices
    if gpsd { snapshot.gpsd = .gpsd(release: "3.22", devices: ["/dev/gps9"]) }
    snapshot.rules = DoctorSnapshot.ruleNames.map { .init($0, rules) }
    snapshot.user = "ada"
    return snapshot
  }

  private func finding(_ snapshot: DoctorSnapshot, about subject: String) -> DoctorFinding? {
    Doctor.examine(snapshot).first { $0.subject == subject }
  }

  @Test func `all findings about a readable receiver that no program holds are good`() {
    let findings = Doctor.examine(snapshot(.init(devnode: "/dev/ttyACM0", role: .receiver)))
    #expect(findings.map(\.subject) == ["/dev/ttyACM0", "gpsd", "rules"])
    #expect(findings.allSatisfy { $0.severity == .good })
    #expect(findings.allSatisfy { $0.remedy == nil })
  }

  @Test func `a receiver that the user may not read is a bad finding with the usermod command`() {
    let device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", model: "u-blox 7", role: .receiver, isReadable: false, group: "uucp")
    let found = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(found?.severity == .bad)
    #expect(found?.remedy == "sudo usermod -aG uucp ada   (then log in again)")
  }

  @Test(arguments: ["root", nil] as [String?])
  func `the doctor never suggests joining the group root to read a receiver`(group: String?) {
    let device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", role: .receiver, isReadable: false, group: group)
    let found = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(found?.severity == .bad)
    #expect(found?.remedy?.contains("udevadm trigger") == true)
    #expect(found?.remedy?.contains("usermod") == false)
  }

  @Test func `a receiver held by gpsd is a note; a receiver held by another program is a bad finding`() {
    var device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", role: .receiver, holders: ["gpsd (812)"])
    let byGPSD = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(byGPSD?.severity == .note)
    #expect(byGPSD?.remedy == "fixcast locate --source gpsd")
    device.holders = ["minicom (99)"]
    let byOther = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(byOther?.severity == .bad)
    #expect(byOther?.text.contains("minicom (99)") == true)
    #expect(byOther?.remedy?.hasPrefix("sudo fuser -v /dev/ttyACM0   ") == true)
    for service in ["ModemManager", "brltty"] {
      device.holders = ["\(service) (99)"]
      #expect(
        finding(snapshot(device), about: "/dev/ttyACM0")?.remedy
          == "sudo systemctl disable --now \(service)")
    }
  }

  @Test func `a receiver configured for gpsd is a bad finding if gpsd is stopped or lacks the receiver`() {
    var device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", role: .receiver, isReadable: false,
      isConfiguredForGPSD: true)
    let absent = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(absent?.severity == .bad)
    #expect(absent?.text.contains("/etc/default/gpsd") == true)
    #expect(finding(snapshot(device), about: "gpsd")?.text == "nothing listens on port 2947")
    #expect(absent?.remedy?.hasPrefix("sudo systemctl start gpsd.socket gpsd") == true)
    let lacking = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(lacking?.severity == .bad)
    #expect(lacking?.text.hasSuffix("gpsd is running without it") == true)
    #expect(lacking?.remedy?.hasPrefix("sudo gpsdctl add /dev/ttyACM0   (or without") == true)
    var unlisted = snapshot(device)
    unlisted.gpsd = .gpsd(release: "3.22", devices: nil)
    #expect(finding(unlisted, about: "/dev/ttyACM0")?.severity == .good)
    device.isListedByGPSD = true
    #expect(finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")?.severity == .good)
    device.isListedByGPSD = false
    device.holders = ["minicom (99)"]
    device.isReadable = true
    let held = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(held?.text.contains("minicom (99)") == true)
  }

  @Test func `a serial converter is a note with the command that opens the port by name`() {
    let device = DoctorSnapshot.Device(
      devnode: "/dev/ttyUSB0", model: "PL2303", role: .candidate,
      stablePath: "/dev/serial/by-id/usb-x")
    let found = Doctor.examine(snapshot(device))
    #expect(found.first?.severity == .note)
    #expect(found.first?.remedy == "fixcast locate --source serial:/dev/serial/by-id/usb-x")
    #expect(found.contains { $0.subject == "receivers" && $0.severity == .bad })
  }

  @Test func `the doctor suggests the mmcli command that enables a modem's position port`() {
    let device = DoctorSnapshot.Device(devnode: "/dev/ttyUSB1", role: .modemPort)
    let found = finding(snapshot(device), about: "/dev/ttyUSB1")
    #expect(found?.remedy == "mmcli -m any --location-enable-gps-unmanaged")
  }

  @Test func `a missing receiver is a bad finding unless gpsd is running`() {
    #expect(finding(snapshot(), about: "receivers")?.severity == .bad)
    #expect(finding(snapshot(gpsd: true), about: "receivers") == nil)
    #expect(finding(snapshot(gpsd: true), about: "gpsd")?.severity == .good)
  }

  @Test func `a device that gpsd lists is reported as in use by gpsd`() {
    var device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", model: "u-blox 7", role: .receiver, isListedByGPSD: true)
    let found = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(found?.severity == .good)
    #expect(found?.text == "u-blox 7: in use by gpsd; its fixes come from gpsd")
    device.role = .candidate
    let converter = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(converter?.text.contains("in use by gpsd") == true)
    device.holders = ["minicom (99)"]
    device.role = .receiver
    let heldByOther = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(heldByOther?.severity == .bad)
  }

  @Test(
    arguments: [
      (.absent, .good, "nothing listens on port 2950: receivers are read without gpsd"),
      (
        .gpsd(release: "3.22", devices: []), .good,
        "gpsd 3.22 runs on port 2950 and has no receiver"
      ),
      (
        .gpsd(release: "3.22", devices: ["/dev/a", "/dev/b"]), .good,
        "gpsd 3.22 runs on port 2950 and has /dev/a, /dev/b"
      ),
      (.gpsd(release: "", devices: nil), .good, "gpsd of an unknown version runs on port 2950"),
      (.other(.acceptsNoConnection), .note, "the program on port 2950 does not accept connections"),
      (
        .other(.says("\"SSH-2.0\"")), .note,
        "the program on port 2950 is not gpsd: it sends \"SSH-2.0\""
      ),
      (
        .other(.isFixcast), .good,
        "the daemon serves gpsd's clients on port 2950, with authorization"
      ),
    ] as [(GPSDPresence, DoctorFinding.Severity, String)])
  func `the finding about gpsd's port describes the program that listens there`(
    presence: GPSDPresence, severity: DoctorFinding.Severity, text: String
  ) {
    var snapshot = snapshot()
    snapshot.gpsd = presence
    snapshot.gpsdPort = 2950
    let found = finding(snapshot, about: "gpsd")
    #expect(found?.severity == severity)
    #expect(found?.text == text)
    #expect(found?.remedy?.contains("sport = :2950") == (severity == .note ? true : nil))
    let hasReceiver = text.contains("/dev/a") || text.contains("unknown")
    #expect((finding(snapshot, about: "receivers") == nil) == hasReceiver)
  }

  @Test func `the snapshot probes the given gpsd port`() throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting = "220 mail.example ESMTP"
    let server = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { server.stop() }
    let snapshot = DoctorSnapshot.ofThisSystem(gpsdPort: server.port)
    #expect(snapshot.gpsd == .other(.says("\"220 mail.example ESMTP\"")))
    #expect(finding(snapshot, about: "gpsd")?.text.contains("\(server.port) is not gpsd") == true)
  }

  @Test(
    arguments: [.noInterface, .noCarrier, .noAddress, .noDefaultRoute, .linkLocalOnly]
      as [NetworkPath.Reason])
  func `a missing network path is only a note with a command, since fixes need no network`(reason: NetworkPath.Reason) {
    var offline = snapshot(gpsd: true)
    offline.path = NetworkPath(status: .unsatisfied, reason: reason)
    let found = finding(offline, about: "network")
    #expect(found?.severity == .note)
    #expect(found?.text.contains(reason.text) == true)
    #expect(found?.remedy != nil)
  }

  @Test func `a satisfied network path is a good finding with the interface and the metering`() {
    var online = snapshot(gpsd: true)
    var path = NetworkPath(status: .satisfied)
    path.interfaces = [.init(name: "wwan0", kind: .cellular)]
    path.isExpensive = true
    online.path = path
    let found = finding(online, about: "network")
    #expect(found?.severity == .good)
    #expect(found?.text == "satisfied via wwan0 (cellular), metered")
  }

  @Test(arguments: [.yes, .portal, .upstreamDead, .dnsFailing] as [NetworkPath.Verification])
  func `a network path that failed verification is a note; a verified network path is good`(
    verification: NetworkPath.Verification
  ) {
    var online = snapshot(gpsd: true)
    var path = NetworkPath(status: .satisfied)
    path.verified = verification
    online.path = path
    let found = finding(online, about: "network")
    #expect(found?.severity == (verification == .yes ? .good : .note))
    #expect(found?.text.hasSuffix(verification.text) == true)
    #expect((found?.remedy == nil) == (verification == .yes))
  }

  @Test func `missing udev rules, a stopped udev and hidden processes are notes, each with a command`() {
    var unlucky = snapshot(rules: .missing)
    unlucky.discoveryFailure = "udev does not run"
    unlucky.unreadableProcessCount = 7
    for subject in ["rules", "udev", "holders"] {
      let found = finding(unlucky, about: subject)
      #expect(found?.severity == .note)
      #expect(found?.remedy != nil)
    }
  }
}
