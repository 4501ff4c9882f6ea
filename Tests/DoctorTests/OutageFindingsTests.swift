// SPDX-License-Identifier: Apache-2.0

import Doctor
import Receivers
import Testing

/// Findings about sinks and servers of the daemon that do not work.
@Suite struct OutageFindingsTests {
  private func finding(_ reason: String, subject: String = "sink mqtt") -> DoctorFinding? {
    var snapshot = DoctorSnapshot()
    snapshot.outages = [.init(subject: subject, reason: reason, text: "waiting: \(reason)")]
    return Doctor.examine(snapshot).first { $0.subject == subject }
  }

  @Test func `a sink that waits is a bad finding with its reason`() {
    let found = finding("mqtt://127.0.0.1:1883: Connection refused")
    #expect(found?.severity == .bad)
    #expect(found?.text == "waiting: mqtt://127.0.0.1:1883: Connection refused")
  }

  @Test(arguments: [
    (
      "mqtt://127.0.0.1:1883: Connection refused",
      "systemctl status mosquitto   (or the broker on port 1883; its log has the cause)"
    ),
    (
      "mqtts://broker.lan:8883: the broker closed the connection",
      "nc -vz broker.lan 8883   (if it succeeds, the log of the broker has the cause)"
    ),
    (
      "mqtt://[2001:db8::1]:1883: connecting",
      "nc -vz 2001:db8::1 1883   (if it succeeds, the log of the broker has the cause)"
    ),
    (
      "mqtts://broker.lan:8883: TLS: the certificate is for a; b: it is not for broker.lan; "
        + "set tls_ca_file",
      "set tls_ca_file"
    ),
    (
      "mqtts://broker.lan:8883: TLS: wrong version number",
      "openssl s_client -connect broker.lan:8883"
    ),
    (
      "/mnt/my disk/track.gpx: No space left on device; writing resumes",
      "df -h '/mnt/my disk'   (then remove files there)"
    ),
    ("/mnt/a/track.sqlite: the disk is full", "df -h /mnt/a   (then remove files there)"),
    (
      "/mnt/a/out.sqlite: the disk is full; publishing positions without keeping them",
      "df -h /mnt/a   (then remove files there)"
    ),
    (
      "/mnt/a/track.gpx: open: No such file or directory; create its folder",
      "sudo install -d -o fixcast -g fixcast /mnt/a"
    ),
    (
      "/mnt/a/track.gpx: open: Permission denied",
      "sudo -u fixcast ls -ld /mnt/a   (the user fixcast must be able to write there)"
    ),
    (
      "/mnt/a/track.gpx: write: Read-only file system",
      "findmnt -T /mnt/a && sudo dmesg | tail   (a worn card becomes read-only; outside of "
        + "/var/lib/fixcast, set ReadWritePaths= with: sudo systemctl edit fixcast)"
    ),
    (
      "/mnt/a/track.gpx was moved or removed by another program; writing to a new file",
      "sudo grep -rsF track.gpx /etc/logrotate.conf /etc/logrotate.d /etc/cron.d /var/spool/cron"
    ),
    (
      "mqtts://broker.lan:8883: the host name is not known",
      "getent hosts broker.lan   (then correct broker, or the network)"
    ),
    (
      "mqtt://127.0.0.1:1883: wrong user name or password",
      "correct username or password_file, then: sudo systemctl restart fixcast"
    ),
    (
      "mqtts://broker.lan:8883: /etc/a.pem: cannot be read: Permission denied",
      "sudo -u fixcast head -n 1 /etc/a.pem"
    ),
    ("the program ended", "sudo journalctl -u fixcast -n 1000 | grep -F mqtt"),
    ("/: ", "sudo journalctl -u fixcast -n 1000 | grep -F mqtt"),
    ("mqtt://", "sudo journalctl -u fixcast -n 1000 | grep -F mqtt"),
  ])
  func `the command for a sink that waits depends on its reason`(reason: String, remedy: String) {
    #expect(finding(reason)?.remedy == remedy)
  }

  @Test func `the command of a server that names one is not replaced`() {
    var snapshot = DoctorSnapshot()
    snapshot.outages = [
      .init(
        subject: "nmea server", reason: "a: in use", text: "failed: a: in use",
        remedy: "stop the other program")
    ]
    let found = Doctor.examine(snapshot).first { $0.subject == "nmea server" }
    #expect(found?.severity == .bad && found?.remedy == "stop the other program")
  }

  @Test func `a problem of a sink that goes on working is a note`() {
    var snapshot = DoctorSnapshot()
    snapshot.outages = [
      .init(subject: "sink gpx", reason: "/a was moved", text: "running", isWorking: true)
    ]
    let found = Doctor.examine(snapshot).first { $0.subject == "sink gpx" }
    #expect(found?.severity == .note)
  }

  @Test func `a gpsd that runs instead of the daemon's server for its clients is a note`() {
    var snapshot = DoctorSnapshot()
    snapshot.outages = [.init(subject: "gpsd server", reason: "a: in use", text: "failed: a")]
    func severity() -> DoctorFinding.Severity? {
      Doctor.examine(snapshot).first { $0.subject == "gpsd server" }?.severity
    }
    #expect(severity() == .bad)
    snapshot.gpsd = .gpsd(release: "3.22", devices: [])
    #expect(severity() == .note)
  }
}
