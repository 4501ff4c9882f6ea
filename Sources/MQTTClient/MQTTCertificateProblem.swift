// SPDX-License-Identifier: Apache-2.0

internal import NIOSSL
package import Positioning
package import SystemSupport
internal import TLSSupport

/// The reason why a broker's certificate was rejected, and what to do.
package struct MQTTCertificateProblem: Equatable, Sendable {
  /// The certificate; `nil` if it could not be read.
  package var certificate: PeerCertificate?
  /// The reason besides the name and the dates; `nil` if only the name was rejected.
  private let reason: String?
  private let broker: BrokerAddress
  private let names: MQTTSettingNames
  /// The time of the system clock, by which certificates are verified.
  private let time: UTCTime

  package init(
    certificate: PeerCertificate?, reason: String?, broker: BrokerAddress,
    names: MQTTSettingNames = .configuration, time: UTCTime
  ) {
    (self.certificate, self.reason, self.broker) = (certificate, reason, broker)
    (self.names, self.time) = (names, time)
  }

  /// The certificate, its fault and the remedy, in this order.
  ///
  /// `fixcast doctor` shows the text after the last semicolon as the remedy. That text must
  /// therefore contain no other name of the certificate than one that is a valid host.
  package var text: String {
    let (fault, advice) = faultAndAdvice
    return "\(certificate?.text ?? "the broker's certificate was rejected"): \(fault); \(advice)"
  }

  private var faultAndAdvice: (fault: String, advice: String) {
    let shown = "the system clock, which shows \(PeerCertificate.text(time.date))"
    let setClock = "if that date is wrong: sudo timedatectl set-ntp true"
    let isForAnotherHost = certificate.map { !$0.covers(host) } ?? (reason == nil)
    if isForAnotherHost { return ("it is not for \(host)", renameAdvice) }
    let reason = reason ?? "its name was rejected"
    switch certificate?.fault(for: host, at: time) {
    case .notYetValid: return ("it is not valid yet by \(shown)", setClock)
    case .expired(isCertain: true): return ("it has expired", "give the broker a new certificate")
    case .expired:
      return ("it has expired by \(shown)", "\(setClock), otherwise renew the certificate")
    case .otherHost, .issuer, nil: break
    }
    if ["issuer", "self"].contains(where: reason.contains) {
      return (
        "this board does not trust the issuer (\(reason))",
        "set \(names.caFile) to the certificate of the authority that signed it"
      )
    }
    return (reason, "openssl s_client -showcerts -connect \(broker.server)")
  }

  /// The advice to use a name of the certificate.
  private var renameAdvice: String {
    let name = certificate?.names.lazy.compactMap { try? Host($0) }.first { !$0.hasZone }
    let port = broker.server.port
    return name.map { "if that is the broker: set \(names.broker) to mqtts://\($0):\(port)" }
      ?? "set \(names.broker) to a name of the certificate, or give the broker a certificate for "
      + "this name"
  }

  private var host: String { broker.server.host.text }
}

extension MQTTCertificateProblem {
  /// Describes the certificates that a broker sent, beginning with its own.
  init(
    _ certificates: [NIOSSLCertificate], isNameRejected: Bool, broker: BrokerAddress,
    names: MQTTSettingNames
  ) {
    self.init(
      certificate: certificates.first.map { PeerCertificate($0) },
      reason: isNameRejected ? nil : Self.reason(certificates), broker: broker, names: names,
      time: SystemClock.utcNow())
  }

  /// Returns why the issuer is not trusted, in the words of OpenSSL.
  private static func reason(_ certificates: [NIOSSLCertificate]) -> String {
    guard let last = certificates.last else { return "certificate verify failed" }
    guard last.issuerName == last.subjectName else {
      return "unable to get local issuer certificate"
    }
    return "self-signed certificate" + (certificates.count > 1 ? " in certificate chain" : "")
  }
}
