// SPDX-License-Identifier: Apache-2.0

import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Problems of certificates")
struct CertificateProblemTests {
  private static let build = Int64(WeekRollover.buildDate.daysSince1970) * 86_400
  private static let years: Int64 = 365 * 86_400

  private static func certificate(
    _ names: [String] = ["api.open-meteo.com"], from start: Int64 = build - years / 4,
    to end: Int64 = build + years / 4
  ) -> PeerCertificate {
    PeerCertificate(
      names: names, issuer: "R11", notBefore: UTCTime(secondsSince1970: start),
      notAfter: UTCTime(secondsSince1970: end))
  }

  private func makeProblem(
    _ certificate: PeerCertificate?, at seconds: Int64 = build + 86_400, clockError: String? = nil
  ) -> CertificateProblem {
    CertificateProblem(
      certificate: certificate, host: "api.open-meteo.com",
      time: UTCTime(secondsSince1970: seconds), clockError: clockError)
  }

  private func text(_ problem: CertificateProblem) -> String { "\(problem.error)" }

  @Test func `a certificate for another host is named, and a captive portal as the likely cause`() {
    let problem = makeProblem(Self.certificate(["wifi.hotel.example", "10.0.0.1", "a", "b"]))
    #expect(problem.isForAnotherHost)
    #expect(
      text(problem)
        == "weather provider not trusted: the certificate is for wifi.hotel.example, 10.0.0.1 "
        + "and 2 more, issued by R11, valid from \(PeerCertificate.text(date(Self.build - Self.years / 4))) "
        + "to \(PeerCertificate.text(date(Self.build + Self.years / 4))): it is not for "
        + "api.open-meteo.com, so another server answers, such as the login page of the network "
        + "(captive portal); log in with a browser on this network")
  }

  @Test(
    arguments: [
      (1_550_000_000, "it is not valid yet by the system clock, which shows 2019-02-12"),
      (3_124_224_000, "it has expired by the system clock, which shows 2069-01-01"),
    ] as [(Int64, String)])
  func `a clock that is set to 2019 or 2069 is named as the cause, with the command that sets it`(
    seconds: Int64, fault: String
  ) {
    let guessed = makeProblem(Self.certificate(), at: seconds)
    #expect(!guessed.isForAnotherHost)
    #expect(
      text(guessed).hasSuffix(
        ": \(fault); if that date is wrong: sudo timedatectl set-ntp true"), "\(text(guessed))")
    let error = SystemClockError(
      system: UTCTime(secondsSince1970: seconds), receiver: nil,
      at: MonotonicTime(nanoseconds: 0))
    #expect(error != nil)
    let known = makeProblem(Self.certificate(), at: seconds, clockError: error.map { "\($0)" })
    #expect(
      text(known).hasSuffix(": \(fault); \(error.map { "\($0)" } ?? "")"), "\(text(known))")
  }

  @Test func `a certificate that expired before the build of the program is expired by any clock`() {
    let old = Self.certificate(from: Self.build - 2 * Self.years, to: Self.build - Self.years)
    #expect(
      text(makeProblem(old)).hasSuffix(
        ": it has expired; use another provider until its server has a new certificate"))
  }

  @Test func `an unknown issuer is named with the command that installs the certificates`() {
    #expect(
      text(makeProblem(Self.certificate())).hasSuffix(
        ": this board does not trust the issuer; sudo apt install --reinstall ca-certificates; if "
          + "the issuer is your own, put its certificate in /usr/local/share/ca-certificates/ and "
          + "run: sudo update-ca-certificates"))
  }

  @Test func `a rejected name without the certificate is explained as another server`() {
    var rejected = makeProblem(nil)
    rejected.isNameRejected = true
    #expect(rejected.isForAnotherHost)
    #expect(
      text(rejected)
        == "weather provider not trusted: the certificate is not for api.open-meteo.com, so another "
        + "server answers, such as the login page of the network (captive portal); log in with a "
        + "browser on this network")
  }

  @Test func `without the certificate, the message names the clock and the certificates`() {
    #expect(
      text(makeProblem(nil))
        == "weather provider not trusted: no trusted certificate; compare the date with: date; "
        + "then: sudo apt install --reinstall ca-certificates")
    #expect(
      text(makeProblem(nil, clockError: "the clock is wrong")).hasSuffix("; the clock is wrong"))
  }

  @Test(arguments: [
    ("api.open-meteo.com", "API.Open-Meteo.com.", true),
    ("*.open-meteo.com", "api.open-meteo.com", true),
    ("*.open-meteo.com", "open-meteo.com", false),
    ("*.open-meteo.com", "a.b.open-meteo.com", false),
    ("*.com", ".com", false), ("::1", "[0:0::1]", true), ("127.0.0.1", "127.0.0.1", true),
    ("127.0.0.1", "127.0.0.2", false), ("", "", true), ("*", "a", false),
  ])
  func `a certificate covers a host by name, wildcard or address`(name: String, host: String, isCovered: Bool) {
    #expect(Self.certificate([name]).covers(host) == isCovered)
    #expect(Self.certificate(["x", name]).covers(host) == isCovered)
    #expect(!Self.certificate([]).covers(host))
  }

  @Test func `names of a certificate are printable and short in a message`() {
    let name = "a\u{1B}[31m\u{202E}" + String(repeating: "x", count: 100_000)
    var certificate = Self.certificate(Array(repeating: name, count: 200))
    certificate.issuer = name
    let text = certificate.text
    #expect(text.count < 400 && text.contains("xxx…"))
    #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
    #expect(text.contains("and 198 more"))
    #expect(Self.certificate([]).text.hasPrefix("the certificate is for no name, "))
  }

  private func date(_ seconds: Int64) -> UTCDate { UTCTime(secondsSince1970: seconds).date }
}
