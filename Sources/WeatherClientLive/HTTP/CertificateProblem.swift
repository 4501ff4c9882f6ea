// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// The reason why a server's certificate was rejected, and what to do.
struct CertificateProblem: Equatable, Sendable {
  /// The certificate, or `nil` if it could not be read.
  var certificate: PeerCertificate?
  /// The host of the request.
  var host: String
  /// Whether TLS rejected only the names of the certificate.
  var isNameRejected = false
  /// The time of the system clock, by which certificates are verified.
  var time: UTCTime
  /// The error of the system clock with the command that sets it; `nil` if the clock is not known
  /// to be wrong.
  var clockError: String?

  /// The command that sets the clock over the network.
  private static let setClock = "sudo timedatectl set-ntp true"
  /// The command that installs the certificates of all public authorities.
  private static let installCertificates = "sudo apt install --reinstall ca-certificates"

  /// Whether the certificate is for another host, so that another server answers.
  var isForAnotherHost: Bool { certificate.map { !$0.covers(host) } ?? isNameRejected }

  /// The error for users.
  var error: WeatherError {
    guard let certificate else {
      guard !isNameRejected else {
        return .untrusted("the certificate is \(anotherHost)", advice: login)
      }
      return .untrusted(
        "no trusted certificate",
        advice: clockError
          ?? "compare the date with: date; then: \(Self.installCertificates)")
    }
    let (fault, advice) = fault(of: certificate)
    return .untrusted("\(certificate.text): \(fault)", advice: advice)
  }

  private var anotherHost: String {
    "not for \(WeatherReply.printable(host)), so another server answers, such as the login page of "
      + "the network (captive portal)"
  }

  /// The remedy for a provider or a proxy with an authority of its own.
  private var ownAuthority: String {
    "if the issuer is your own, put its certificate in /usr/local/share/ca-certificates/ and run: "
      + "sudo update-ca-certificates"
  }

  private var login: String {
    ["log in with a browser on this network", clockError].compactMap { $0 }.joined(separator: "; ")
  }

  private func fault(of certificate: PeerCertificate) -> (text: String, advice: String) {
    let shown = "the system clock, which shows \(PeerCertificate.text(time.date))"
    let setClock = clockError ?? "if that date is wrong: \(Self.setClock)"
    return switch certificate.fault(for: host, at: time) {
    case .otherHost: ("it is \(anotherHost)", login)
    case .notYetValid: ("it is not valid yet by \(shown)", setClock)
    case .expired(isCertain: true):
      ("it has expired", "use another provider until its server has a new certificate")
    case .expired: ("it has expired by \(shown)", setClock)
    case .issuer where isNameRejected:
      ("it is not the one that was rejected before, for another name", "try again")
    case .issuer:
      (
        "this board does not trust the issuer",
        [clockError, Self.installCertificates, ownAuthority].compactMap { $0 }
          .joined(separator: "; ")
      )
    }
  }
}
