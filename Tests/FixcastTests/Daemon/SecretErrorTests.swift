// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Files with secrets that the daemon cannot use.
@Suite("Files with secrets that cannot be read", .timeLimit(.minutes(5)))
struct SecretErrorTests {
  @Test func `a key that cannot be read stops neither the start nor a reload, and doctor names it`() async throws {
    let board = try DaemonFixture()
    let key = board.path + "/web.key"
    // The page is not served in this test, because the certificate does not exist.
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + "[web]\nlisten = \"127.0.0.1:8443\"\ntls_certificate_file = \"\(board.path)/web.crt\"\n"
        + "tls_key_file = \"\(key)\"\n")
    try await board.use { daemon in
      let missing = "\(key): cannot be read: No such file or directory"
      #expect(daemon.lines.events.contains { $0.contains("web.tls_key_file: \(missing)") }, "\(daemon.lines.events)")
      #expect(try await board.run("locate", "--timeout", "60").code == 0)
      let doctor = try await board.run("doctor")
      for subject in ["configuration", "web server"] {
        let row = doctor.lines.first { $0.hasPrefix("BAD   \(subject) ") }
        #expect(row?.contains(missing) == true, "\(doctor.lines)")
      }
      #expect(doctor.code == 69)
      try board.folder.write("web.key", "key\n")
      #expect(chmod(key, 0o644) == 0)
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "\(key): the secret in it is accessible to all users", daemon)
      #expect(chmod(key, 0o600) == 0)
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "configuration reloaded: web changed", daemon)
      let repaired = try await board.run("doctor")
      #expect(!repaired.lines.contains { $0.hasPrefix("BAD   configuration ") }, "\(repaired.lines)")
      #expect(await daemon.end() == 0)
    }
  }
}
