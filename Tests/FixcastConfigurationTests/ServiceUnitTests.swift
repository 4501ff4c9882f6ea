// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("What systemd reports about the daemon's unit")
struct ServiceUnitTests {
  @Test(
    arguments: [
      ("ActiveState=failed\nResult=exit-code\nExecMainStatus=78\n", "exit status 78"),
      ("ActiveState=failed\nResult=start-limit-hit\nExecMainStatus=0\n", "start-limit-hit"),
      ("ActiveState=activating\nSubState=auto-restart\nResult=signal\nExecMainStatus=9\n", "signal"),
      ("ActiveState=activating\nSubState=start\nResult=success\nExecMainStatus=0\n", nil),
      ("ActiveState=active\nResult=success\nExecMainStatus=0\n", nil),
      ("ActiveState=inactive\nResult=success\nExecMainStatus=0\n", nil),
    ] as [(String, String?)])
  func `the unit's failure has its reason`(text: String, reason: String?) {
    #expect(ServiceUnit(properties: text)?.failure == reason)
  }

  @Test(arguments: ["System has not been booted with systemd as init system (PID 1).\n", "", "=\n"])
  func `other output is no unit`(text: String) {
    #expect(ServiceUnit(properties: text) == nil)
  }

  @Test func `folders that the unit protects are problems, each with its remedy`() throws {
    let unit = try #require(
      ServiceUnit(
        properties:
          "ActiveState=active\nProtectHome=yes\nProtectSystem=strict\nStateDirectory=fixcast\nPrivateTmp=yes\n"
          + "ReadWritePaths=-/srv/tracks /mnt\n"))
    for folder in ["/var/lib/fixcast", "/var/lib/fixcast/a", "/srv/tracks", "/mnt/usb"] {
      #expect(unit.problem(with: folder) == nil, "\(folder)")
    }
    #expect(
      unit.problem(with: "/home/pi")
        == "the service cannot see /home/pi (ProtectHome= in its unit); use a folder such as /var/lib/fixcast")
    #expect(unit.problem(with: "/tmp")?.hasPrefix("files in /tmp are deleted when the service stops ") == true)
    for folder in ["/srv", "/srv/tracks2", "/var/lib/fixcast2", "/"] {
      #expect(
        unit.problem(with: folder)
          == "the service may not write to \(folder); allow it with: sudo systemctl edit fixcast, and add the lines "
          + "[Service] and ReadWritePaths=-\(folder), then: sudo systemctl restart fixcast")
    }
  }

  @Test func `a unit that may write everywhere limits no folder`() throws {
    let unit = try #require(
      ServiceUnit(properties: "ActiveState=active\nProtectSystem=strict\nReadWritePaths=/\n"))
    for folder in ["/", "/srv"] { #expect(unit.problem(with: folder) == nil) }
  }

  @Test func `a unit without protection limits no folder`() throws {
    let unit = try #require(ServiceUnit(properties: "ActiveState=active\nProtectHome=no\nProtectSystem=no\n"))
    for folder in ["/home/pi", "/srv", "/"] { #expect(unit.problem(with: folder) == nil) }
  }
}
