// SPDX-License-Identifier: Apache-2.0

import Bridge
import PathMonitorClient
import Testing

/// What would stop a fix, and the command that mends it.
@Suite struct DoctorTests {
  private func snapshot(
    _ devices: DoctorSnapshot.Device..., gpsd: Bool = false, rules: String? = "/r"
  ) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    snapshot.devices = devices
    snapshot.gpsdAnswers = gpsd
    snapshot.rulesPath = rules
    snapshot.user = "ada"
    return snapshot
  }

  private func finding(_ snapshot: DoctorSnapshot, about subject: String) -> DoctorFinding? {
    Doctor.examine(snapshot).first { $0.subject == subject }
  }

  @Test("a free receiver that may be read is good, and nothing is bad then")
  func allIsWell() {
    let findings = Doctor.examine(snapshot(.init(devnode: "/dev/ttyACM0", role: .receiver)))
    #expect(findings.map(\.severity) == [.good, .good])
    #expect(findings.allSatisfy { $0.mend == nil })
  }

  @Test("a receiver that may not be read names the group and the command")
  func groupMembership() {
    let device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", model: "u-blox 7", role: .receiver, isReadable: false, group: "uucp")
    let found = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(found?.severity == .bad)
    #expect(found?.mend == "sudo usermod -aG uucp ada   (then log in again)")
  }

  @Test("nobody is told to join root's group", arguments: ["root", nil] as [String?])
  func noGroup(group: String?) {
    let device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", role: .receiver, isReadable: false, group: group)
    let found = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(found?.severity == .bad)
    #expect(found?.mend?.contains("udevadm trigger") == true)
    #expect(found?.mend?.contains("usermod") == false)
  }

  @Test("a receiver that gpsd holds is taken from gpsd; another holder is named and stops it")
  func holders() {
    var device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", role: .receiver, holders: ["gpsd (812)"])
    let byGPSD = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(byGPSD?.severity == .note)
    #expect(byGPSD?.mend == "fixcast locate --source gpsd")
    device.holders = ["minicom (99)"]
    let byOther = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(byOther?.severity == .bad)
    #expect(byOther?.text.contains("minicom (99)") == true)
  }

  @Test("a receiver that gpsd is configured for needs a gpsd that runs, and nothing else")
  func configuredForGPSD() {
    var device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", role: .receiver, isReadable: false,
      consent: "--source serial:/dev/ttyACM0", isConfiguredForGPSD: true)
    let absent = finding(snapshot(device), about: "/dev/ttyACM0")
    #expect(absent?.severity == .bad)
    #expect(absent?.text.contains("/etc/default/gpsd") == true)
    #expect(absent?.mend?.hasPrefix("sudo systemctl start gpsd.socket gpsd") == true)
    #expect(finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")?.severity == .good)
    device.holders = ["minicom (99)"]
    device.isReadable = true
    let held = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(held?.text.contains("minicom (99)") == true)
  }

  @Test("a converter is only a note, with the words that give consent")
  func candidates() {
    let device = DoctorSnapshot.Device(
      devnode: "/dev/ttyUSB0", model: "PL2303", role: .candidate,
      consent: "--source serial:/dev/ttyUSB0")
    let found = Doctor.examine(snapshot(device))
    #expect(found.first?.severity == .note)
    #expect(found.first?.mend == "fixcast locate --source serial:/dev/ttyUSB0")
    #expect(found.contains { $0.subject == "receivers" && $0.severity == .bad })
  }

  @Test("a modem is told to switch its positioning on without taking the port")
  func modemPorts() {
    let device = DoctorSnapshot.Device(devnode: "/dev/ttyUSB1", role: .modemPort)
    let found = finding(snapshot(device), about: "/dev/ttyUSB1")
    #expect(found?.mend == "mmcli -m any --location-enable-gps-unmanaged")
  }

  @Test("nothing at all is bad, unless gpsd answers")
  func nothing() {
    #expect(finding(snapshot(), about: "receivers")?.severity == .bad)
    #expect(finding(snapshot(gpsd: true), about: "receivers") == nil)
    #expect(finding(snapshot(gpsd: true), about: "gpsd")?.severity == .good)
  }

  @Test(
    "a network without a way out is a note with a command, and never stops a fix",
    arguments: [.noInterface, .noCarrier, .noAddress, .noDefaultRoute, .linkLocalOnly]
      as [NetworkPath.Reason])
  func noWayOut(reason: NetworkPath.Reason) {
    var offline = snapshot(gpsd: true)
    offline.path = NetworkPath(status: .unsatisfied, reason: reason)
    let found = finding(offline, about: "network")
    #expect(found?.severity == .note)
    #expect(found?.text.contains(reason.text) == true)
    #expect(found?.mend != nil)
  }

  @Test("a way out is good, and says over what and whether it is metered")
  func wayOut() {
    var online = snapshot(gpsd: true)
    var path = NetworkPath(status: .satisfied)
    path.interfaces = [.init(name: "wwan0", kind: .cellular)]
    path.isExpensive = true
    online.path = path
    let found = finding(online, about: "network")
    #expect(found?.severity == .good)
    #expect(found?.text == "satisfied via wwan0 (cellular), metered")
  }

  @Test("missing rules, missing udev and unseen programs are notes with a command each")
  func notes() {
    var unlucky = snapshot(rules: nil)
    unlucky.discoveryFailure = "udev does not run"
    unlucky.unseenProcessCount = 7
    for subject in ["rules", "udev", "holders"] {
      let found = finding(unlucky, about: subject)
      #expect(found?.severity == .note)
      #expect(found?.mend != nil)
    }
  }
}
