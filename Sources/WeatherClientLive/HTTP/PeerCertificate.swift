// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOSSL
internal import Positioning

/// The names and dates of a server's certificate, for error messages.
///
/// The values come from a server that is not trusted. Never use them to trust a server.
struct PeerCertificate: Equatable, Sendable {
  /// The host names and IP addresses, or the common name of a certificate without both.
  var names: [String]
  /// The common name or the organization of the issuer; `nil` if the certificate has neither.
  var issuer: String?
  /// The start of the validity.
  var notBefore: UTCTime
  /// The end of the validity.
  var notAfter: UTCTime

  /// The maximum number of names that are read; a certificate of a large network has about 100.
  static let maxNames = 256
  /// The maximum number of names in a text.
  static let maxShownNames = 2
  /// The maximum length of a name in a text.
  static let maxShownCharacters = 60

  /// Whether the certificate is for the host.
  ///
  /// A wildcard stands for one label, as in RFC 6125.
  func covers(_ host: String) -> Bool {
    let host = Self.normalized(host)
    return names.contains { name in
      let name = Self.normalized(name)
      guard name.hasPrefix("*."), let dot = host.firstIndex(of: "."), dot != host.startIndex else {
        return name == host
      }
      return host[dot...] == name.dropFirst()
    }
  }

  /// The names, the issuer and the dates in one line.
  var text: String {
    let shown = names.prefix(Self.maxShownNames).map(Self.shortened)
    let more = names.count - shown.count
    let subject =
      shown.isEmpty
      ? "no name" : shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    let issuer = issuer.map { ", issued by \(Self.shortened($0))" } ?? ""
    return "the certificate is for \(subject)\(issuer), "
      + "valid from \(Self.text(notBefore.date)) to \(Self.text(notAfter.date))"
  }

  /// Returns a date such as 2026-11-27.
  static func text(_ date: UTCDate) -> String {
    let (year, month, day) = date.civil
    func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "\(year)-\(twoDigits(month))-\(twoDigits(day))"
  }

  /// Returns the host or address in lower case, without brackets and final dot, and an IP address in
  /// its shortest form.
  private static func normalized(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.hasSuffix(".") { host.removeLast() }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, String(host), &bytes) == 1 { return address(bytes) ?? String(host) }
    }
    return String(host)
  }

  /// Returns the text of an IP address; `nil` if the number of bytes is neither 4 nor 16.
  static func address(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
    return String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func shortened(_ name: String) -> String {
    let name = WeatherReply.printable(name)
    return name.count > maxShownCharacters ? "\(name.prefix(maxShownCharacters))…" : name
  }
}

extension PeerCertificate {
  /// Reads the names and dates of a certificate.
  init(_ certificate: NIOSSLCertificate) {
    func name(in names: [SSLCertificateName]) -> String? {
      (names.last { $0.type == .commonName } ?? names.first { $0.type == .organization })?.value
    }
    let alternatives = certificate._subjectAlternativeNames().prefix(Self.maxNames)
      .compactMap { alternative -> String? in
        switch alternative.nameType {
        case .dnsName: String(decoding: alternative.contents, as: UTF8.self)
        case .ipAddress: Self.address(Array(alternative.contents))
        default: nil
        }
      }
    let subject = name(in: certificate.subjectName).map { [$0] } ?? []
    self.init(
      names: alternatives.isEmpty ? subject : alternatives,
      issuer: name(in: certificate.issuerName),
      notBefore: UTCTime(secondsSince1970: Int64(certificate.notValidBefore)),
      notAfter: UTCTime(secondsSince1970: Int64(certificate.notValidAfter)))
  }
}
