// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOSSL
package import SystemSupport

/// The files with the certificates of the authorities that this board trusts.
///
/// NIOSSL searches these files only once in a process. A store that is installed or updated later is
/// therefore passed to each new client explicitly.
package struct CertificateStore: Hashable, Sendable {
  /// The bundles, in order of preference: Debian and its derivatives, then Fedora.
  package let bundles: [String]
  /// The folder with one file per certificate.
  package let folder: String

  package init(
    bundles: [String] = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    ], folder: String = "/etc/ssl/certs"
  ) {
    (self.bundles, self.folder) = (bundles, folder)
  }

  /// The stamps of the files, which change if certificates are added or removed.
  package var stamps: [FileStamp] { (bundles + [folder]).map { FileStamp($0) } }

  /// A text that changes if certificates are added or removed.
  package var version: String { stamps.map(\.text).joined(separator: " ") }

  /// Makes a configuration trust the certificates of the store.
  package func apply(to configuration: inout TLSConfiguration) {
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
