// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Receivers
import Testing

@testable import Doctor

@Suite("What the doctor says of how far decisions bind")
struct DoctorModeTests {
  private func snapshot(_ mode: DoctorSnapshot.Mode?) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    snapshot.mode = mode
    return snapshot
  }

  private func said(_ snapshot: DoctorSnapshot, of subject: String) -> [DoctorFinding] {
    Doctor.examine(snapshot).filter { $0.subject == subject }
  }

  @Test("a daemon that answers enforces them")
  func enforced() {
    let found = said(snapshot(.enforced(socket: "/run/s")), of: "mode")
    #expect(found.map(\.severity) == [.good])
    #expect(found.first?.text.contains("enforced: the daemon at /run/s") == true)
    #expect(found.first?.mend == nil)
  }

  @Test("without one they bind who plays along, and the command that starts one is told")
  func cooperative() {
    let found = said(snapshot(.cooperative(socket: "/run/s")), of: "mode")
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.text.contains("cooperative") == true)
    #expect(found.first?.mend?.contains("systemctl start fixcast") == true)
  }

  @Test("what the daemon cannot keep is told as the daemon says it")
  func state() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    #expect(said(snapshot, of: "state").isEmpty)
    snapshot.stateFault = "state_directory /x: Permission denied: nothing is kept"
    let found = said(snapshot, of: "state")
    #expect(found.map(\.severity) == [.note] && found.first?.text == snapshot.stateFault)
  }

  @Test("why nothing has come from the daemon's source stops fixes, as the daemon says it")
  func source() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    #expect(said(snapshot, of: "source").isEmpty)
    snapshot.daemonSource.fault = "no data from a receiver yet (source /dev/ttyUSB1): no such"
    let found = said(snapshot, of: "source")
    #expect(found.map(\.severity) == [.bad] && found.first?.text == snapshot.daemonSource.fault)
    #expect(found.first?.mend?.hasPrefix("fixcast devices ") == true)
  }

  @Test(
    "where a daemon answers, ports are its to read: nobody is told to stop it or to do it themselves"
  )
  func ports() {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    func of(_ device: DoctorSnapshot.Device) -> DoctorFinding? {
      snapshot.devices = [device]
      return said(snapshot, of: device.devnode).first
    }
    var receiver = DoctorSnapshot.Device(devnode: "/dev/ttyACM0", role: .receiver)
    receiver.holders = ["fixcast (7)"]
    #expect(of(receiver)?.severity == .good)
    receiver.holders = ["minicom (8)"]
    #expect(of(receiver)?.severity == .bad)
    (receiver.holders, receiver.isReadable) = ([], false)
    #expect(of(receiver)?.severity == .good)
    receiver.group = "root"
    #expect(of(receiver)?.severity == .bad)
    let port = DoctorSnapshot.Device(devnode: "/dev/ttyUSB0", role: .candidate)
    #expect(of(port)?.mend?.hasSuffix("| sudo tee -a /etc/fixcast/conf.d/receiver.toml") == true)
    #expect(of(port)?.mend?.contains(" /dev/ttyUSB0 ") == true)
    snapshot.daemonSource.names = ["/dev/ttyS0", "/dev/ttyUSB0"]
    #expect(of(port)?.severity == .good)
    snapshot.daemonSource.names = ["auto"]
    #expect(of(port)?.severity == .note)
    #expect(of(receiver)?.severity == .bad, "nobody may read it, whatever is plugged in")
    receiver.isReadable = true
    #expect(of(receiver)?.text.hasSuffix("the daemon's to read") == true)
    receiver.isReadable = false
    snapshot.mode = .cooperative(socket: "/run/s")
    #expect(of(port)?.severity == .note && of(port)?.mend?.hasPrefix("fixcast locate") == true)
    #expect(of(receiver)?.severity == .bad)
  }

  @Test("a port that the daemon names by a link is one that it reads, among others or alone")
  func links() throws {
    let folder = try ScratchFolder()
    let terminal = try PseudoTerminal()
    let link = folder.path + "/by-id"
    try #require(symlink(terminal.devnode, link) == 0)
    for names in [[link], ["/dev/null", link], ["auto", terminal.devnode]] {
      var snapshot = snapshot(.enforced(socket: "/run/s"))
      snapshot.devices = [.init(devnode: terminal.devnode, role: .candidate)]
      snapshot.take(.init(names: names))
      #expect(said(snapshot, of: terminal.devnode).map(\.severity) == [.good], "\(names)")
    }
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    snapshot.devices = [.init(devnode: terminal.devnode, role: .candidate)]
    snapshot.take(.init(names: ["/dev/null", folder.path + "/nowhere", "roof"]))
    #expect(said(snapshot, of: terminal.devnode).map(\.severity) == [.note])
  }

  @Test(
    "a port is named below what the file says already, in the daemon's own file where it has one",
    arguments: [
      ([], "/etc/fixcast/conf.d/receiver.toml"),
      (["/etc/fixcast/config.toml"], "/etc/fixcast/conf.d/receiver.toml"),
      (["/home/ada/my board.toml"], "'/home/ada/my board.toml'"),
    ] as [([String], String)])
  func namesPorts(files: [String], file: String) {
    var snapshot = snapshot(.enforced(socket: "/run/s"))
    snapshot.devices = [.init(devnode: "/dev/ttyUSB0", role: .candidate)]
    snapshot.take(.init(files: files))
    #expect(
      said(snapshot, of: "/dev/ttyUSB0").first?.mend
        == #"printf '\n[[source]]\ntype = "serial"\ndevice = "%s"\n' /dev/ttyUSB0 | "#
        + "sudo tee -a \(file)")
  }

  @Test("a socket that tells this user nothing is bad, and no reason to do without")
  func barred() {
    let found = said(snapshot(.barred(socket: "/run/f/s", reason: "no entry")), of: "mode")
    #expect(found.map(\.severity) == [.bad])
    #expect(found.first?.text == "enforced, and this user is told nothing: no entry")
    #expect(found.first?.mend?.contains("ls -ld /run/f /run/f/s") == true)
  }

  @Test("which it is, is asked at the socket, and not taken from its being there")
  func asked() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/s"
    #expect(DoctorSnapshot.mode(at: path) == .cooperative(socket: path))
    try folder.write("s", "left behind")
    #expect(DoctorSnapshot.mode(at: path) == .cooperative(socket: path))
    try folder.remove("s")
    let server = SocketServer(
      .init(
        address: DaemonAddress(socketPath: path),
        places: PolicyPaths(root: folder.path + "/root")), now: { .now() }, report: { _ in })
    let ready = EventRecorder<Bool>()
    let running = Task { try await server.run { ready.record(true) } }
    await ready.wait(for: 1)
    #expect(DoctorSnapshot.mode(at: path) == .enforced(socket: path))
    running.cancel()
    try await running.value
    let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    #expect(Self.listen(silent, at: path))
    guard case .barred(path, _) = DoctorSnapshot.mode(at: path) else {
      Issue.record("taken for a daemon")
      return
    }
  }

  /// Listens, and never answers.
  private static func listen(_ descriptor: Int32, at path: String) -> Bool {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    } == 0 && Glibc.listen(descriptor, 1) == 0
  }

  @Test("each way around them is told with what closes it, in either mode")
  func leaks() {
    for mode in [DoctorSnapshot.Mode.enforced(socket: "/s"), .cooperative(socket: "/s")] {
      var snapshot = snapshot(mode)
      #expect(said(snapshot, of: "leak").isEmpty)
      snapshot.gpsd = .gpsd(release: "3.22", devices: ["/dev/ttyACM0"])
      var open = DoctorSnapshot.Device(devnode: "/dev/ttyACM0", role: .receiver)
      open.isWorldReadable = true
      var candidate = DoctorSnapshot.Device(devnode: "/dev/ttyUSB0", role: .candidate)
      candidate.isWorldReadable = true
      snapshot.devices = [open, candidate]
      snapshot.members = ["dialout": ["ann", "bob"], "uucp": []]
      let found = said(snapshot, of: "leak")
      #expect(found.allSatisfy { $0.severity == .note })
      #expect(
        found.map(\.text) == [
          "every program may ask gpsd on port 2947 where this is",
          "every program may read /dev/ttyACM0",
          "programs of ann, bob may read receivers by group dialout",
        ])
      #expect(found.map { $0.mend?.hasPrefix("sudo ") } == [true, true, true])
    }
  }

  @Test("where a daemon serves, who may read a receiver is looked at before there is one")
  func groups() {
    #expect(DoctorSnapshot.groups(snapshot(.enforced(socket: "/s"))) == ["dialout"])
    #expect(DoctorSnapshot.groups(snapshot(.cooperative(socket: "/s"))).isEmpty)
    var plugged = snapshot(.enforced(socket: "/s"))
    plugged.devices = [.init(devnode: "/dev/ttyACM0", role: .receiver, group: "uucp")]
    #expect(DoctorSnapshot.groups(plugged) == ["dialout", "uucp"])
  }

  @Test(
    "a /proc that hides who asks is named with its option and what changes it",
    arguments: [
      ("rw,nosuid", nil), ("rw,hidepid=0", nil), ("rw,hidepid=off", nil),
      ("rw,hidepid=2", "hidepid=2"), ("rw,hidepid=invisible,gid=27", "hidepid=invisible"),
      ("rw,hidepid=1", "hidepid=1"), ("rw,hidepid=2,gid=105", nil),
    ] as [(String, String?)])
  func hiding(options: String, told: String?) {
    let mounts =
      "sysfs /sys sysfs rw 0 0\nproc /proc proc \(options) 0 0\nproc /a/proc proc rw 0 0\n"
    var snapshot = snapshot(.enforced(socket: "/s"))
    snapshot.hiding = ProcessHiding(mounts: mounts) { $0 == 105 }
    let found = said(snapshot, of: "processes")
    #expect(found.map(\.severity) == (told == nil ? [] : [.bad]))
    if let told {
      #expect(found.first?.text.contains("with \(told):") == true)
      #expect(found.first?.mend?.contains("remount,hidepid=0 /proc") == true)
    }
  }

  @Test("nothing is said of it where it was not looked at")
  func notLookedAt() {
    #expect(said(snapshot(nil), of: "mode").isEmpty)
  }
}
