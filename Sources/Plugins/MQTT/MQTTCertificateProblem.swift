// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import Positioning
internal import SystemSupport

/// The reason why a broker's certificate was rejected, and what to do.
struct MQTTCertificateProblem: Equatable, Sendable {
  /// The certificate; `nil` if it could not be read.
  var certificate: PeerCertificate?
  /// The reason that OpenSSL names; `nil` if only the name was rejected.
  var reason: String?
  var broker: MQTTBroker
  /// The time of the system clock, by which certificates are verified.
  var time: UTCTime

  /// The certificate, its fault and the remedy, in this order.
  ///
  /// `fixcast doctor` shows the text after the last semicolon as the remedy. That text must
  /// therefore contain no other name of the certificate than one that is a valid host.
  var text: String {
    let (fault, advice) = faultAndAdvice
    return "\(certificate?.text ?? "the broker's certificate was rejected"): \(fault); \(advice)"
  }

  private var faultAndAdvice: (fault: String, advice: String) {
    let shown = "the system clock, which shows \(PeerCertificate.text(time.date))"
    let setClock = "if that date is wrong: sudo timedatectl set-ntp true"
    let isForAnotherHost = certificate.map { !$0.covers(broker.host) } ?? (reason == nil)
    if isForAnotherHost { return ("it is not for \(broker.host)", renameAdvice) }
    let reason = reason ?? "its name was rejected"
    switch certificate?.fault(for: broker.host, at: time) {
    case .notYetValid: return ("it is not valid yet by \(shown)", setClock)
    case .expired(isCertain: true): return ("it has expired", "give the broker a new certificate")
    case .expired:
      return ("it has expired by \(shown)", "\(setClock), otherwise renew the certificate")
    case .otherHost, .issuer, nil: break
    }
    if ["issuer", "self", "first certificate"].contains(where: reason.contains) {
      return (
        "this board does not trust the issuer (\(reason))",
        "set tls_ca_file to the certificate of the authority that signed it"
      )
    }
    return (reason, "openssl s_client -showcerts -connect \(address)")
  }

  /// The advice to use a name of the certificate.
  private var renameAdvice: String {
    let host = certificate?.names.lazy.compactMap { try? Host($0) }.first { !$0.hasZone }
    return host.map { "if that is the broker: set broker to mqtts://\($0):\(broker.port)" }
      ?? "set broker to a name of the certificate, or give the broker a certificate for this name"
  }

  private var address: String { String(broker.description.dropFirst("mqtts://".count)) }
}

extension PeerCertificate {
  /// The size of the texts that are read, with the zero that ends each of them.
  private static let (maxNamesBytes, maxIssuerBytes) = (8192, 256)

  /// Reads the certificate of a connection's broker; `nil` if OpenSSL does not have it yet.
  init?(ofBroker client: OpaquePointer) {
    var names = [CChar](repeating: 0, count: Self.maxNamesBytes)
    var issuer = [CChar](repeating: 0, count: Self.maxIssuerBytes)
    var times = [Int64](repeating: 0, count: 2)
    guard
      fixcast_mosquitto_read_certificate(
        client, &names, Self.maxNamesBytes, &issuer, Self.maxIssuerBytes, &times) != 0
    else { return nil }
    func text(_ bytes: [CChar]) -> String {
      String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    self.init(
      names: text(names).split(separator: "\n").map(String.init),
      issuer: text(issuer).isEmpty ? nil : text(issuer),
      notBefore: UTCTime(secondsSince1970: times[0]),
      notAfter: UTCTime(secondsSince1970: times[1]))
  }
}
