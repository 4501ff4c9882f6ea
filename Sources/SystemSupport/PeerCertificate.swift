// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Positioning

/// The names and dates of a server's certificate, for error messages.
///
/// The values come from a server that is not trusted. Never use them to trust a server.
package struct PeerCertificate: Equatable, Sendable {
  /// The reason to reject a certificate.
  package enum Fault: Equatable, Sendable {
    /// The certificate is for other hosts.
    case otherHost
    /// The validity begins after the time of the system clock.
    case notYetValid
    /// The validity has ended; `isCertain` if it has ended by any clock.
    case expired(isCertain: Bool)
    /// The names and dates are right, so the issuer is not trusted.
    case issuer
  }

  /// The host names and IP addresses, or the common name of a certificate without both.
  package var names: [String]
  /// The common name or the organization of the issuer; `nil` if the certificate has neither.
  package var issuer: String?
  /// The start of the validity.
  package var notBefore: UTCTime
  /// The end of the validity.
  package var notAfter: UTCTime

  /// The maximum number of names that are read; a certificate of a large network has about 100.
  package static let maxNames = 256
  /// The maximum number of names in a text.
  static let maxShownNames = 2
  /// The maximum length of a name in a text.
  static let maxShownCharacters = 60

  package init(names: [String], issuer: String?, notBefore: UTCTime, notAfter: UTCTime) {
    self.names = names
    self.issuer = issuer
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// Returns why a client rejects the certificate.
  ///
  /// - Parameters:
  ///   - host: The host to which the client connects.
  ///   - time: The time of the system clock, by which certificates are verified.
  /// - Returns: The reason.
  package func fault(for host: String, at time: UTCTime) -> Fault {
    if !covers(host) { return .otherHost }
    if time < notBefore { return .notYetValid }
    // The build date has passed, whatever the clock shows.
    if time > notAfter { return .expired(isCertain: notAfter.date < WeekRollover.buildDate) }
    return .issuer
  }

  /// Whether the certificate is for the host.
  ///
  /// A wildcard stands for one label, as in RFC 6125.
  package func covers(_ host: String) -> Bool {
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
  package var text: String {
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
  package static func text(_ date: UTCDate) -> String {
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
    return IPAddress(String(host))?.description ?? String(host)
  }

  /// Returns the text of an IP address; `nil` if the number of bytes is neither 4 nor 16.
  package static func address(_ bytes: [UInt8]) -> String? {
    [4, 16].contains(bytes.count) ? IPAddress(bytes: bytes).description : nil
  }

  private static func shortened(_ name: String) -> String {
    let shown = name.unicodeScalars.prefix(maxShownCharacters)
    let text = TerminalText.visible(String(String.UnicodeScalarView(shown)))
    return shown.endIndex < name.unicodeScalars.endIndex ? "\(text)…" : text
  }
}
