// SPDX-License-Identifier: Apache-2.0

import Doctor
import FixcastTesting
import PathMonitorClient
import Receivers
import Testing

/// What would stop a fix, and the command that mends it.
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

  @Test("a free receiver that may be read is good, and nothing is bad then")
  func allIsWell() {
    let findings = Doctor.examine(snapshot(.init(devnode: "/dev/ttyACM0", role: .receiver)))
    #expect(findings.map(\.subject) == ["/dev/ttyACM0", "gpsd", "rules"])
    #expect(findings.allSatisfy { $0.severity == .good })
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
    #expect(finding(snapshot(device), about: "gpsd")?.text == "nothing listens on port 2947")
    #expect(absent?.mend?.hasPrefix("sudo systemctl start gpsd.socket gpsd") == true)
    let lacking = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(lacking?.severity == .bad)
    #expect(lacking?.text.hasSuffix("the gpsd that answers does not have it") == true)
    #expect(lacking?.mend?.hasPrefix("sudo gpsdctl add /dev/ttyACM0   (or without") == true)
    var untold = snapshot(device)
    untold.gpsd = .gpsd(release: "3.22", devices: nil)
    #expect(finding(untold, about: "/dev/ttyACM0")?.severity == .good)
    device.isListedByGPSD = true
    #expect(finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")?.severity == .good)
    device.isListedByGPSD = false
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

  @Test func `what gpsd lists is not called free, whoever may read it`() {
    var device = DoctorSnapshot.Device(
      devnode: "/dev/ttyACM0", model: "u-blox 7", role: .receiver, isListedByGPSD: true)
    let found = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(found?.severity == .good)
    #expect(found?.text == "u-blox 7: gpsd has it, and its fixes come from gpsd")
    device.role = .candidate
    let converter = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(converter?.text.contains("gpsd has it") == true)
    device.holders = ["minicom (99)"]
    device.role = .receiver
    let fought = finding(snapshot(device, gpsd: true), about: "/dev/ttyACM0")
    #expect(fought?.severity == .bad)
  }

  @Test(
    arguments: [
      (.absent, .good, "nothing listens on port 2950: receivers are read without gpsd"),
      (
        .gpsd(release: "3.22", devices: []), .good,
        "gpsd 3.22 answers on port 2950 and has no receiver"
      ),
      (
        .gpsd(release: "3.22", devices: ["/dev/a", "/dev/b"]), .good,
        "gpsd 3.22 answers on port 2950 and has /dev/a, /dev/b"
      ),
      (.gpsd(release: "", devices: nil), .good, "gpsd of an unknown version answers on port 2950"),
      (.other(.takesNoConnection), .note, "what listens on port 2950 takes no connection"),
      (
        .other(.says("\"SSH-2.0\"")), .note,
        "what listens on port 2950 is no gpsd: it says \"SSH-2.0\""
      ),
    ] as [(GPSDPresence, DoctorFinding.Severity, String)])
  func `what listens on gpsd's port is told, gpsd or not`(
    presence: GPSDPresence, severity: DoctorFinding.Severity, text: String
  ) {
    var snapshot = snapshot()
    snapshot.gpsd = presence
    snapshot.gpsdPort = 2950
    let found = finding(snapshot, about: "gpsd")
    #expect(found?.severity == severity)
    #expect(found?.text == text)
    #expect(found?.mend?.contains("sport = :2950") == (severity == .note ? true : nil))
    let hasReceiver = text.contains("/dev/a") || text.contains("unknown")
    #expect((finding(snapshot, about: "receivers") == nil) == hasReceiver)
  }

  @Test func `a system is looked at on the port that is named`() throws {
    var manners = ScriptedGPSD.Manners()
    manners.greeting = "220 mail.example ESMTP"
    let server = try ScriptedGPSD(manners: manners)
    defer { server.stop() }
    let snapshot = DoctorSnapshot.ofThisSystem(gpsdPort: server.port)
    #expect(snapshot.gpsd == .other(.says("\"220 mail.example ESMTP\"")))
    #expect(finding(snapshot, about: "gpsd")?.text.contains("\(server.port) is no gpsd") == true)
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

  @Test(
    "a way out on which requests end is a note with a command, one that they have taken is good",
    arguments: [.yes, .portal, .upstreamDead, .dnsFailing] as [NetworkPath.Verification])
  func verified(verification: NetworkPath.Verification) {
    var online = snapshot(gpsd: true)
    var path = NetworkPath(status: .satisfied)
    path.verified = verification
    online.path = path
    let found = finding(online, about: "network")
    #expect(found?.severity == (verification == .yes ? .good : .note))
    #expect(found?.text.hasSuffix(verification.text) == true)
    #expect((found?.mend == nil) == (verification == .yes))
  }

  @Test("missing rules, missing udev and unseen programs are notes with a command each")
  func notes() {
    var unlucky = snapshot(rules: .missing)
    unlucky.discoveryFailure = "udev does not run"
    unlucky.unseenProcessCount = 7
    for subject in ["rules", "udev", "holders"] {
      let found = finding(unlucky, about: subject)
      #expect(found?.severity == .note)
      #expect(found?.mend != nil)
    }
  }
}
