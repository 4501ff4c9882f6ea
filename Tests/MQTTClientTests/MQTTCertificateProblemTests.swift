// SPDX-License-Identifier: Apache-2.0

import Positioning
import SystemSupport
import Testing

@testable import MQTTClient

@Suite("Problems of a broker's certificate") struct MQTTCertificateProblemTests {
  private static let build = Int64(WeekRollover.buildDate.daysSince1970) * 86_400
  private static let year: Int64 = 365 * 86_400

  private func problem(
    _ names: [String], reason: String?, at seconds: Int64 = build
  ) throws -> MQTTCertificateProblem {
    MQTTCertificateProblem(
      certificate: PeerCertificate(
        names: names, issuer: "authority",
        notBefore: UTCTime(secondsSince1970: Self.build - Self.year),
        notAfter: UTCTime(secondsSince1970: Self.build + Self.year)),
      reason: reason, broker: try #require(BrokerAddress("mqtts://broker.lan")),
      time: UTCTime(secondsSince1970: seconds))
  }

  @Test(arguments: [
    (["*.b.lan", "x; curl evil", "a\u{1B}[31m"], "set broker to a name of the certificate, or "),
    ([], "set broker to a name of the certificate, or "),
    (["x; y", "10.0.0.9"], "if that is the broker: set broker to mqtts://10.0.0.9:8883"),
    (["::1%;id", "fe80::1%eth0"], "set broker to a name of the certificate, or "),
    (["2001:db8::1"], "if that is the broker: set broker to mqtts://[2001:db8::1]:8883"),
  ])
  func `the advice after the last semicolon names only a name of the certificate that is a host`(
    names: [String], advice: String
  ) throws {
    let text = try problem(names, reason: nil).text
    #expect(text.contains(": it is not for broker.lan; "), "\(text)")
    #expect(text.split(separator: "; ").last?.hasPrefix(advice) == true, "\(text)")
    #expect(!text.contains("\u{1B}"))
  }

  @Test(
    arguments: [
      (
        build - 2 * year, "certificate is not yet valid",
        "it is not valid yet by the system clock, which shows "
      ),
      (
        build + 2 * year, "certificate has expired",
        "it has expired by the system clock, which shows "
      ),
      (build, "self-signed certificate", "this board does not trust the issuer (self-signed"),
      (build, "unable to get local issuer certificate", "this board does not trust the issuer ("),
      (build, "EE certificate key too weak", "EE certificate key too weak; openssl s_client "),
    ] as [(Int64, String, String)])
  func `dates are compared with the system clock before the issuer is blamed`(
    seconds: Int64, reason: String, fault: String
  ) throws {
    let text = try problem(["broker.lan"], reason: reason, at: seconds).text
    #expect(text.contains(": \(fault)"), "\(text)")
  }

  @Test func `without the certificate, the reason that OpenSSL names is shown`() throws {
    var problem = try problem([], reason: "self-signed certificate")
    problem.certificate = nil
    #expect(
      problem.text
        == "the broker's certificate was rejected: this board does not trust the issuer "
        + "(self-signed certificate); set tls_ca_file to the certificate of the authority that "
        + "signed it")
  }
}
