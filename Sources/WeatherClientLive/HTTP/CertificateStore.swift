// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOSSL
internal import SystemSupport

/// The files with the certificates of the authorities that this board trusts.
///
/// NIOSSL searches these files only once in a process. A store that is installed or updated later is
/// therefore passed to each new client explicitly.
struct CertificateStore: Hashable, Sendable {
  /// The bundles, in order of preference: Debian and its derivatives, then Fedora.
  var bundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
  /// The folder with one file per certificate.
  var folder = "/etc/ssl/certs"

  /// The stamps of the files, which change if certificates are added or removed.
  var stamps: [FileStamp] { (bundles + [folder]).map { FileStamp($0) } }

  /// A text that changes if certificates are added or removed.
  var version: String { stamps.map(\.text).joined(separator: " ") }

  /// Makes a configuration trust the certificates of the store.
  func apply(to configuration: inout TLSConfiguration) {
    // NIOSSL accepts a folder only as the first of the roots.
    configuration.trustRoots = Self.exists(folder, S_IFDIR) ? .file(folder) : .certificates([])
    if let bundle = bundles.first(where: { Self.exists($0, S_IFREG) }) {
      configuration.additionalTrustRoots.append(.file(bundle))
    }
  }

  private static func exists(_ path: String, _ type: mode_t) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == type
  }
}
