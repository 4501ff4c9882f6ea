// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Pipeline
import Positioning
import SystemSupport
import Testing

@testable import Plugins

@Suite(
  "MQTT over TLS", .timeLimit(.minutes(2)),
  .enabled(if: MQTTTestBroker.isInstalled, "needs mosquitto: make test-deps"))
struct MQTTTLSTests {
  /// Makes the key and the certificate `NAME.pem` of a host, signed by the authority `ca`.
  private static func makeCertificate(
    _ name: String, host: String, in folder: String, at date: String = "now"
  ) async throws {
    let script = """
      cd \(folder) && exec 2>openssl.log
      [ -f ca.pem ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -keyout ca.key -out ca.pem -days 30000 -subj /CN=authority
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key \
        -out \(name).csr -subj /CN=\(host) -addext subjectAltName=DNS:\(host)
      # libfaketime's shared memory is named after the process ID. The command `faketime` fails if
      # an earlier process with the same ID has left its shared memory.
      sign='rm -f /dev/shm/faketime_shm_$$ /dev/shm/sem.faketime_sem_$$; LD_PRELOAD=$0 exec "$@"'
      FAKETIME="$(date -d '\(date)' '+@%F %T')" sh -c "$sign" \
        '/usr/$LIB/faketime/libfaketime.so.1' openssl x509 -req -in \(name).csr -CA ca.pem \
        -CAkey ca.key -days 30 -CAcreateserial -copy_extensions copy -out \(name).pem
      """
    let made = try await ChildProcess.run(path: "/bin/sh", arguments: ["-c", script])
    try #require(made.code == 0, "\(made.lines)")
  }

  private static func broker(
    _ folder: borrowing ScratchFolder, _ extra: String = ""
  ) throws -> MQTTTestBroker {
    try MQTTTestBroker(
      folder,
      listener: """
        certfile \(folder.path)/server.pem
        keyfile \(folder.path)/server.key
        cafile \(folder.path)/ca.pem
        \(extra)
        """)
  }

  private static func authority(_ folder: borrowing ScratchFolder) -> SettingEntry {
    SettingEntry("tls_ca_file", .string(folder.path + "/ca.pem"))
  }

  /// Expects one warning about a broker whose certificate is not accepted.
  private static func expectWarning(
    about host: String, _ reason: String, _ broker: MQTTTestBroker, _ entries: [SettingEntry]
  ) async throws {
    try await broker.use { _ in
      let test = try MQTTTestSink(port: broker.port, scheme: "mqtts://localhost", entries)
      try await test.sink.start()
      let lines = await test.log.wait(for: 1)
      let address = "mqtts://localhost:\(broker.port)"
      let certificate = "the certificate is for \(host), issued by authority, valid from "
      #expect(lines.count == 1)
      let line = lines.first ?? ""
      #expect(line.hasPrefix("warning: mqtt: \(address): TLS: \(certificate)"), "\(line)")
      #expect(line.hasSuffix("\(reason); retrying"), "\(line)")
      await test.sink.stop()
    }
  }

  @Test func `a broker with a valid certificate is accepted, and the client shows its own certificate`() async throws {
    let folder = try ScratchFolder()
    try await Self.makeCertificate("server", host: "localhost", in: folder.path)
    try await Self.makeCertificate("client", host: "van", in: folder.path)
    let broker = try Self.broker(folder, "require_certificate true\nuse_identity_as_username true")
    let path = folder.path
    let authority = Self.authority(folder)
    try await broker.use { process in
      let test = try MQTTTestSink(
        port: broker.port, scheme: "mqtts://localhost",
        [
          authority,
          SettingEntry("tls_certificate_file", .string(path + "/client.pem")),
          SettingEntry("tls_key_file", .string(path + "/client.key")),
        ])
      try await test.sink.start()
      await test.waitForConnection()
      await process.lines.wait {
        $0.contains { $0.contains("as fixcast-van") && $0.contains("u'van'") }
      }
      let options =
        ["--cafile", "ca.pem", "--cert", "client.pem", "--key", "client.key"]
        .map { $0.hasPrefix("--") ? $0 : "\(path)/\($0)" }
      // The certificate is for localhost, not for the address.
      try await broker.subscribe(options: options + ["--insecure"]) { subscriber in
        try await test.send(1)
        await subscriber.lines.wait { lines in
          lines.contains { $0.hasPrefix("fixcast/van/position") && $0.contains(#":0.001,"#) }
        }
        await test.sink.stop()
        await subscriber.lines.wait { $0.contains("fixcast/van/availability offline 1 0") }
      }

      // Without the client's certificate.
      let rejected = try MQTTTestSink(
        port: broker.port, scheme: "mqtts://localhost", [authority])
      try await rejected.sink.start()
      let lines = await rejected.log.wait(for: 1)
      #expect(
        lines.first?.hasPrefix("warning: mqtt: mqtts://localhost:\(broker.port): ") == true
          && lines.count == 1, "\(lines)")
      await rejected.sink.stop()
      #expect(!rejected.log.events.contains { $0.contains("connected to") })
    }
  }

  @Test func `a certificate for another host name is one line with the name to use`() async throws {
    let folder = try ScratchFolder()
    try await Self.makeCertificate("server", host: "other.lan", in: folder.path)
    let broker = try Self.broker(folder)
    try await Self.expectWarning(
      about: "other.lan",
      ": it is not for localhost; if that is the broker: set broker to "
        + "mqtts://other.lan:\(broker.port)", broker, [Self.authority(folder)])
  }

  @Test func `an expired certificate is one line with its dates`() async throws {
    let folder = try ScratchFolder()
    try await Self.makeCertificate(
      "server", host: "localhost", in: folder.path, at: "2020-01-01 00:00:00")
    try await Self.expectWarning(
      about: "localhost",
      "valid from 2020-01-01 to 2020-01-31: it has expired; give the broker a new certificate",
      Self.broker(folder), [Self.authority(folder)])
  }

  @Test func `a certificate that is not valid yet is one line, which mentions the clock`() async throws {
    let folder = try ScratchFolder()
    try await Self.makeCertificate(
      "server", host: "localhost", in: folder.path, at: "2090-01-01 00:00:00")
    let today = PeerCertificate.text(SystemClock.utcNow().date)
    try await Self.expectWarning(
      about: "localhost",
      "valid from 2090-01-01 to 2090-01-31: it is not valid yet by the system clock, which shows "
        + "\(today); if that date is wrong: sudo timedatectl set-ntp true",
      Self.broker(folder), [Self.authority(folder)])
  }

  @Test func `a certificate of an unknown authority is one line with the key to set`() async throws {
    let folder = try ScratchFolder()
    try await Self.makeCertificate("server", host: "localhost", in: folder.path)
    try await Self.expectWarning(
      about: "localhost",
      ": this board does not trust the issuer (self-signed certificate in certificate chain); set "
        + "tls_ca_file to the certificate of the authority that signed it",
      Self.broker(folder), [])
  }

  @Test func `a file that cannot be read is named`() async throws {
    let test = try MQTTTestSink(
      port: 9, scheme: "mqtts://localhost", [SettingEntry("tls_ca_file", .string("/none/ca.pem"))])
    try await test.sink.start()
    let lines = await test.log.wait(for: 1)
    #expect(
      lines == [
        "warning: mqtt: mqtts://localhost:9: /none/ca.pem: cannot be read: No such file or "
          + "directory; retrying"
      ])
    await test.sink.stop()
  }
}
