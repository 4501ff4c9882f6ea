// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOSSL
internal import SystemSupport
internal import TLSSupport

/// The files for TLS.
package struct MQTTTLS: Equatable, Sendable {
  /// The certificates that may sign the broker's; `nil` for those of the system.
  package var caFile: String?
  /// The client's certificate, which the certificates of its authorities may follow.
  package var certificateFile: String?
  /// The private key of ``certificateFile``.
  package var keyFile: String?

  package init(
    caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
  ) {
    (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
  }

  /// Reads the files.
  ///
  /// Throws `MQTTFailure` if one of them cannot be read.
  package func context() throws(MQTTFailure) -> NIOSSLContext {
    for file in [caFile, certificateFile, keyFile].compactMap(\.self) where access(file, R_OK) != 0
    {
      throw MQTTFailure("\(file): cannot be read: \(SystemCallFailure.text(for: errno))")
    }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    var file = caFile
    do {
      if let caFile {
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(caFile))
      } else {
        CertificateStore().apply(to: &configuration)
      }
      if let certificateFile, let keyFile {
        file = certificateFile
        configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificateFile)
          .map { .certificate($0) }
        file = keyFile
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem))
      }
      return try NIOSSLContext(configuration: configuration)
    } catch {
      let name = file ?? "the system's certificates"
      let isKey = file != nil && file == keyFile
      let mismatch = isKey ? ", or the key does not match the certificate" : ""
      throw MQTTFailure("\(name): cannot be read: not a PEM file\(mismatch)")
    }
  }
}
