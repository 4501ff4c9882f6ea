// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Receivers
import Testing

@testable import Doctor

@Suite("Doctor findings about chrony and gpsd's port")
struct ChronyFindingsTests {
  private func findings(
    _ state: DoctorSnapshot.TimeSocket.State, path: String = "/run/chrony.fixcast.sock"
  ) -> [DoctorFinding] {
    var snapshot = DoctorSnapshot()
    snapshot.board.timeSockets = [.init(path: path, state: state)]
    return Doctor.examine(snapshot).filter { $0.subject == "chrony" }
  }

  @Test func `without a sink of type chrony there is no finding about chrony`() {
    #expect(!Doctor.examine(DoctorSnapshot()).contains { $0.subject == "chrony" })
  }

  @Test func `a socket that the daemon may write to is a good finding`() {
    let found = findings(.writable)
    #expect(found.map(\.severity) == [.good])
    #expect(found.first?.remedy == nil)
  }

  @Test func `a missing socket is a note with the refclock that creates it`() {
    let found = findings(.missing)
    #expect(found.map(\.severity) == [.note])
    #expect(
      found.first?.remedy
        == "echo 'refclock SOCK /run/chrony.fixcast.sock refid GPS precision 1e-1 delay 0.2' | "
        + "sudo tee /etc/chrony/conf.d/fixcast.conf && sudo systemctl restart chrony")
  }

  @Test func `a socket without write permission is a note with the drop-in for chrony's unit`() {
    let found = findings(.denied)
    #expect(found.map(\.severity) == [.note])
    #expect(
      found.first?.remedy
        == "sudo mkdir -p /etc/systemd/system/chrony.service.d && printf '[Service]\\n"
        + #"ExecStartPost=+/bin/sh -c "chgrp fixcast /run/chrony.fixcast.sock && "#
        + #"chmod g+w /run/chrony.fixcast.sock"\n' | "#
        + "sudo tee /etc/systemd/system/chrony.service.d/fixcast.conf && "
        + "sudo systemctl daemon-reload && sudo systemctl restart chrony")
  }

  @Test func `the examination of a path distinguishes a socket, another file, and no file`() throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/socket")
    #expect(chmod(receiver.path, 0o666) == 0)
    #expect(DoctorSnapshot.TimeSocket(path: receiver.path).state == .writable)
    try folder.write("file", "")
    #expect(DoctorSnapshot.TimeSocket(path: folder.path + "/file").state == .missing)
    #expect(DoctorSnapshot.TimeSocket(path: folder.path + "/none").state == .missing)
  }

  @Test func `the finding about another listener on gpsd's port has the command that stops gpsd.socket`() {
    var snapshot = DoctorSnapshot()
    snapshot.gpsd = .other(.sendsNothing)
    #expect(
      Doctor.examine(snapshot).first { $0.subject == "gpsd" }?.remedy
        == "sudo ss -ltnp 'sport = :2947'   (shows the program; if it is systemd: "
        + "sudo systemctl disable --now gpsd.socket gpsd)")
  }

  @Test func `a gpsd on the port is a note with the command that frees the port for the daemon`() {
    var snapshot = DoctorSnapshot()
    snapshot.mode = .enforced(socket: "/run/s")
    snapshot.gpsd = .gpsd(release: "3.22", devices: [])
    #expect(
      Doctor.examine(snapshot).first { $0.subject == "leak" }?.remedy
        == "sudo systemctl disable --now gpsd.socket gpsd   (the daemon then serves gpsd's "
        + "clients, with authorization)")
    snapshot.gpsd = .other(.isFixcast)
    #expect(!Doctor.examine(snapshot).contains { $0.subject == "leak" })
  }
}
