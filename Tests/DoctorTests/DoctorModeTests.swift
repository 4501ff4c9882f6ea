// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Receivers
import SystemSupport
import Testing

@testable import Doctor

@Suite("Doctor findings about the authorization mode")
struct DoctorModeTests {
  private func snapshot(_ mode: DoctorSnapshot.Mode?) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    snapshot.mode = mode
    return snapshot
  }

  private func findings(_ snapshot: DoctorSnapshot, about subject: String) -> [DoctorFinding] {
    Doctor.examine(snapshot).filter { $0.subject == subject }
  }

  @Test func `a running daemon is reported as enforced mode`() {
    let found = findings(snapshot(.enforced(socket: "/run/s")), about: "mode")
    #expect(found.map(\.severity) == [.good])
    #expect(found.first?.text.contains("enforced: the daemon at /run/s") == true)
    #expect(found.first?.remedy == nil)
  }

  @Test func `without a daemon the mode is cooperative, with the command that starts the daemon`() {
    let found = findings(snapshot(.cooperative(socket: "/run/s")), about: "mode")
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.text.contains("cooperative") == true)
    #expect(found.first?.remedy?.contains("systemctl start fixcast") == true)
  }

  @Test func `the daemon's error about its state directory is reported unchanged, as a note`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    #expect(findings(snapshot, about: "state").isEmpty)
    snapshot.stateFault = "state_directory /x: Permission denied: nothing is kept"
    let found = findings(snapshot, about: "state")
    #expect(found.map(\.severity) == [.note] && found.first?.text == snapshot.stateFault)
  }

  @Test func `the fault of the daemon's source is reported unchanged, as a bad finding`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    #expect(findings(snapshot, about: "source").isEmpty)
    snapshot.daemonSource.fault = "no data from a receiver yet (source /dev/ttyUSB1): no such"
    let found = findings(snapshot, about: "source")
    #expect(found.map(\.severity) == [.bad] && found.first?.text == snapshot.daemonSource.fault)
    #expect(found.first?.remedy?.hasPrefix("fixcast devices ") == true)
  }

  @Test func `a missing fix is a note while it only takes time, otherwise a bad finding, with its step`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    snapshot.daemonSource.noFix = NoFixExplanation(
      source: "/dev/ttyACM0", input: .nmea, reportsEpochs: true, seconds: 40,
      sky: SkySummary(inView: 9, withSignal: 6, strong: 5, strongestDBHz: 44))
    var found = findings(snapshot, about: "fix")
    #expect(found.map(\.severity) == [.note])
    #expect(
      found.first?.text
        == "/dev/ttyACM0: no fix in 40 s of data: 9 satellites in view, 6 with a signal, the "
        + "strongest 44 dB-Hz")
    #expect(found.first?.remedy?.hasPrefix("wait, the signals are strong enough") == true)
    snapshot.daemonSource.noFix?.seconds = 1200
    found = findings(snapshot, about: "fix")
    #expect(found.map(\.severity) == [.bad])
  }

  @Test func `doctor reports the counts of the received lines, with the remedy if many are bad`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    #expect(findings(snapshot, about: "received").isEmpty)
    var lines = ReceivedLines()
    (lines.bytes, lines[.used]) = (9000, 100)
    snapshot.daemonSource.received = lines
    #expect(findings(snapshot, about: "received").map(\.severity) == [.good])
    for (result, remedy) in [
      (.refused, "baud rate and cable are right"), (.wrongChecksum, "check the cable"),
      (.noChecksum, "if the receiver sends none"), (.other, nil), (.cut, nil),
    ] as [(ReceivedLines.Result, String?)] {
      var bad = lines
      bad[result] = 20
      snapshot.daemonSource.received = bad
      let found = findings(snapshot, about: "received")
      #expect(found.map(\.severity) == [.note] && found.first?.text == bad.text)
      #expect(remedy.map { found.first?.remedy?.hasPrefix($0) == true } ?? (found.first?.remedy == nil))
    }
    // The search for the baud rate damages the first lines.
    var first = ReceivedLines()
    (first.bytes, first[.used], first[.cut]) = (900, 9, 1)
    snapshot.daemonSource.received = first
    #expect(findings(snapshot, about: "received").map(\.severity) == [.good])
    first[.used] = 0
    snapshot.daemonSource.received = first
    #expect(findings(snapshot, about: "received").map(\.severity) == [.note])
  }

  @Test func `doctor notes a position at exactly 0° N, 0° E`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    #expect(findings(snapshot, about: "position").isEmpty)
    snapshot.daemonSource.isZeroPosition = true
    let found = findings(snapshot, about: "position")
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.text.hasPrefix("the position is exactly 0° N, 0° E") == true)
    #expect(found.first?.remedy?.hasPrefix("unless the board is there") == true)
    // A later outage has its own finding.
    snapshot.daemonSource.noFix = NoFixExplanation(input: .nmea, reportsEpochs: true, seconds: 40, sky: nil)
    #expect(findings(snapshot, about: "position").isEmpty)
    #expect(findings(snapshot, about: "fix").map(\.severity) == [.note])
  }

  @Test func `doctor reports what a receiver states about itself, as bad if there is no position`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    var open = ReceiverMessage(antenna: .open)
    open.source = "/dev/a"
    snapshot.daemonSource.messages = [
      open, ReceiverMessage(antenna: .good), ReceiverMessage(.error, "txbuf alloc"),
    ]
    #expect(findings(snapshot, about: "antenna").map(\.severity) == [.note])
    #expect(findings(snapshot, about: "receiver").map(\.text) == ["the receiver reports the error \"txbuf alloc\""])
    snapshot.daemonSource.noFix = NoFixExplanation(input: .nmea, reportsEpochs: true, seconds: 40, sky: nil)
    let found = findings(snapshot, about: "antenna")
    #expect(found.map(\.severity) == [.bad])
    #expect(found.first?.text == "/dev/a: the receiver reports that no antenna is connected (open)")
    #expect(found.first?.remedy?.hasPrefix("connect the antenna") == true)
  }

  @Test(
    arguments: [
      (-1_700_000_000, "the system clock is 53 years behind the receiver", .bad),
      (31_536_000, "the system clock is 365 days ahead of the receiver", .bad),
      (600, "the system clock is 10 min ahead of the receiver", .note),
    ] as [(Double, String, DoctorFinding.Severity)])
  func `a wrong system clock is a finding, and an error if it is wrong by a day or more`(
    ahead: Double, text: String, severity: DoctorFinding.Severity
  ) {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    snapshot.clockError = SystemClockError(aheadSeconds: ahead, receiverTime: .noon)
    let found = findings(snapshot, about: "clock")
    #expect(found.map(\.text) == [text] && found.map(\.severity) == [severity])
    #expect(
      found.first?.remedy
        == "sudo date --utc --set=2026-11-21T12:00:00Z   (with a network: "
        + "sudo timedatectl set-ntp true)")
  }

  @Test func `no finding suggests stopping a running daemon or reading the daemon's ports directly`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    func finding(_ device: DoctorSnapshot.Device) -> DoctorFinding? {
      snapshot.devices = [device]
      return findings(snapshot, about: device.devnode).first
    }
    var receiver = DoctorSnapshot.Device(devnode: "/dev/ttyACM0", role: .receiver)
    receiver.holders = ["fixcast (7)"]
    #expect(finding(receiver)?.severity == .good)
    receiver.holders = ["fixcast (7)", "brltty (9)"]
    #expect(finding(receiver)?.severity == .bad)
    #expect(finding(receiver)?.text.contains("and also by brltty (9)") == true)
    #expect(finding(receiver)?.remedy == "sudo systemctl disable --now brltty")
    receiver.holders = ["minicom (8)"]
    #expect(finding(receiver)?.severity == .bad)
    (receiver.holders, receiver.isReadable) = ([], false)
    #expect(finding(receiver)?.severity == .good)
    receiver.group = "root"
    #expect(finding(receiver)?.severity == .bad)
    let port = DoctorSnapshot.Device(devnode: "/dev/ttyUSB0", role: .candidate)
    #expect(finding(port)?.remedy?.hasSuffix("| sudo tee -a /etc/fixcast/conf.d/receiver.toml") == true)
    #expect(finding(port)?.remedy?.contains(" /dev/ttyUSB0 ") == true)
    snapshot.daemonSource.names = ["/dev/ttyS0", "/dev/ttyUSB0"]
    #expect(finding(port)?.severity == .good)
    snapshot.daemonSource.names = ["auto"]
    #expect(finding(port)?.severity == .note)
    #expect(finding(receiver)?.severity == .bad, "no group may read it, even with autodetection")
    receiver.isReadable = true
    #expect(finding(receiver)?.text.hasSuffix("in use by the daemon") == true)
    receiver.isReadable = false
    snapshot.mode = .cooperative(socket: "/run/s")
    #expect(finding(port)?.severity == .note && finding(port)?.remedy?.hasPrefix("fixcast locate") == true)
    #expect(finding(receiver)?.severity == .bad)
  }

  @Test func `the command that adds a converter names the link that it keeps when it is replugged`() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    let link = "/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"
    snapshot.devices = [.init(devnode: "/dev/ttyUSB0", role: .candidate, stablePath: link)]
    let remedy = findings(snapshot, about: "/dev/ttyUSB0").first?.remedy
    #expect(remedy?.contains(" \(link) | sudo tee -a ") == true, "\(remedy ?? "")")
  }

  @Test func `a port that the daemon names by a symbolic link is reported as in use by the daemon`() throws {
    let folder = try ScratchFolder()
    let terminal = try PseudoTerminal()
    let link = folder.path + "/by-id"
    try #require(symlink(terminal.devnode, link) == 0)
    for names in [[link], ["/dev/null", link], ["auto", terminal.devnode]] {
      var snapshot = snapshot(.enforced(socket: "/run/s"))
      snapshot.devices = [.init(devnode: terminal.devnode, role: .candidate)]
      snapshot.daemonSource = .init(names: names).named(by: snapshot.devices)
      #expect(findings(snapshot, about: terminal.devnode).map(\.severity) == [.good], "\(names)")
    }
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    snapshot.devices = [.init(devnode: terminal.devnode, role: .candidate)]
    snapshot.daemonSource = .init(names: ["/dev/null", folder.path + "/nowhere", "roof"]).named(by: snapshot.devices)
    #expect(findings(snapshot, about: terminal.devnode).map(\.severity) == [.note])
  }

  @Test(
    arguments: [
      ([], "/etc/fixcast/conf.d/receiver.toml"),
      (["/etc/fixcast/config.toml"], "/etc/fixcast/conf.d/receiver.toml"),
      (["/home/ada/my board.toml"], "'/home/ada/my board.toml'"),
    ] as [([String], String)])
  func `the command that adds a source appends to the file given with --config, else to conf.d`(
    files: [String], file: String
  ) {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    snapshot.devices = [.init(devnode: "/dev/ttyUSB0", role: .candidate)]
    snapshot.daemonSource = .init(files: files)
    #expect(
      findings(snapshot, about: "/dev/ttyUSB0").first?.remedy
        == #"printf '\n[[source]]\ntype = "serial"\ndevice = "%s"\n' /dev/ttyUSB0 | "#
        + "sudo tee -a \(file)")
  }

  @Test func `the doctor reports a daemon that does not respond to the user as a bad finding`() {
    let found = findings(snapshot(.inaccessible(socket: "/run/f/s", reason: "no entry")), about: "mode")
    #expect(found.map(\.severity) == [.bad])
    #expect(found.first?.text == "enforced, but this user gets no answer: no entry")
    #expect(found.first?.remedy?.contains("ls -ld /run/f /run/f/s") == true)
  }

  @Test func `the mode is enforced only if a daemon responds at the socket, not if only a file exists`() async throws {
    // This call blocks; on a thread of the pool, the call would also block the server of this test.
    func mode(at path: String) async -> DoctorSnapshot.Mode {
      await BlockingThread.value { DoctorSnapshot.mode(at: path) }
    }
    let folder = try ScratchFolder()
    let path = folder.path + "/s"
    #expect(await mode(at: path) == .cooperative(socket: path))
    try folder.write("s", "left behind")
    #expect(await mode(at: path) == .cooperative(socket: path))
    try folder.remove("s")
    let server = SocketServer(
      .init(
        address: DaemonAddress(socketPath: path),
        policyPaths: PolicyPaths(root: folder.path + "/root")), now: { .now() }, report: { _ in })
    let ready = EventRecorder<Bool>()
    let running = Task { try await server.run { ready.record(true) } }
    await ready.wait(for: 1)
    #expect(await mode(at: path) == .enforced(socket: path))
    running.cancel()
    try await running.value
    let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    #expect(Self.listen(silent, at: path))
    guard case .inaccessible(path, _) = await mode(at: path) else {
      Issue.record("a socket that never responds was not reported as inaccessible")
      return
    }
  }

  /// Listens at a path and never responds.
  private static func listen(_ descriptor: Int32, at path: String) -> Bool {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    } == 0 && Glibc.listen(descriptor, 1) == 0
  }

  @Test func `each way to bypass authorization is a note with a command that prevents the bypass`() {
    for mode in [DoctorSnapshot.Mode.enforced(socket: "/s"), .cooperative(socket: "/s")] {
      var snapshot = snapshot(mode)
      #expect(findings(snapshot, about: "leak").isEmpty)
      snapshot.gpsd = .gpsd(release: "3.22", devices: ["/dev/ttyACM0"])
      var open = DoctorSnapshot.Device(devnode: "/dev/ttyACM0", role: .receiver)
      open.isWorldReadable = true
      var candidate = DoctorSnapshot.Device(devnode: "/dev/ttyUSB0", role: .candidate)
      candidate.isWorldReadable = true
      snapshot.devices = [open, candidate]
      snapshot.members = ["dialout": ["ann", "bob"], "uucp": []]
      let found = findings(snapshot, about: "leak")
      #expect(found.allSatisfy { $0.severity == .note })
      #expect(
        found.map(\.text) == [
          "every program can get the position from gpsd on port 2947",
          "every program may read /dev/ttyACM0",
          "programs of ann, bob may read receivers by group dialout",
        ])
      #expect(found.map { $0.remedy?.hasPrefix("sudo ") } == [true, true, true])
    }
  }

  @Test func `if a daemon runs, the dialout group is checked even without a receiver`() {
    #expect(DoctorSnapshot.groups(snapshot(.enforced(socket: "/s"))) == ["dialout"])
    #expect(DoctorSnapshot.groups(snapshot(.cooperative(socket: "/s"))).isEmpty)
    var plugged = snapshot(.enforced(socket: "/s"))
    plugged.devices = [.init(devnode: "/dev/ttyACM0", role: .receiver, group: "uucp")]
    #expect(DoctorSnapshot.groups(plugged) == ["dialout", "uucp"])
  }

  @Test(
    arguments: [
      ("rw,nosuid", nil), ("rw,hidepid=0", nil), ("rw,hidepid=off", nil),
      ("rw,hidepid=2", "hidepid=2"), ("rw,hidepid=invisible,gid=27", "hidepid=invisible"),
      ("rw,hidepid=1", "hidepid=1"), ("rw,hidepid=2,gid=105", nil),
    ] as [(String, String?)])
  func `a /proc mount that hides processes is a bad finding with the option and a mount command`(
    options: String, expected: String?
  ) {
    let mounts =
      "sysfs /sys sysfs rw 0 0\nproc /proc proc \(options) 0 0\nproc /a/proc proc rw 0 0\n"
    var snapshot = snapshot(.enforced(socket: "/s"))
    snapshot.hiding = ProcessHiding(mounts: mounts) { $0 == 105 }
    let found = findings(snapshot, about: "processes")
    #expect(found.map(\.severity) == (expected == nil ? [] : [.bad]))
    if let expected {
      #expect(found.first?.text.contains("with \(expected),") == true)
      #expect(found.first?.remedy?.contains("remount,hidepid=0 /proc") == true)
    }
  }

  @Test func `a snapshot without a mode has no finding about the mode`() {
    #expect(findings(snapshot(nil), about: "mode").isEmpty)
  }
}
