// SPDX-License-Identifier: Apache-2.0

package import NIOCore
internal import NIOPosix
package import NIOSSL
internal import Positioning
package import SystemSupport

/// Reads the certificates of a server that failed the verification.
///
/// Neither NIOSSL nor the HTTP client reports the certificates that were rejected. This reader therefore begins a
/// second TLS handshake, which it ends when the certificate arrives. The server receives the host
/// name, as in the first handshake, and nothing else: no request is sent to a server without a
/// verified certificate.
package final class PeerCertificateReader: Sendable {
  private let promise: EventLoopPromise<[NIOSSLCertificate]>

  /// Begins to connect.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the server.
  ///   - port: The port of the server.
  ///   - timeout: The time limit for the connection and the handshake together.
  ///   - loop: The event loop of the connection and of ``certificates``.
  package init(of host: String, port: Int, timeout: TimeAmount, on loop: any EventLoop) {
    let promise = loop.makePromise(of: [NIOSSLCertificate].self)
    self.promise = promise
    guard let context = try? NIOSSLContext(configuration: Self.configuration) else {
      promise.succeed([])
      return
    }
    let timer = loop.scheduleTask(in: timeout) { promise.succeed([]) }
    let channel = ClientBootstrap(group: loop).connectTimeout(timeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(Self.handler(context, host, promise))
          try pipeline.addHandler(FailureHandler(promise))
        }
      }
      .connect(host: host, port: port)
    channel.whenFailure { _ in promise.succeed([]) }
    promise.futureResult.whenComplete { _ in
      timer.cancel()
      channel.whenSuccess { $0.close(promise: nil) }
    }
  }

  /// The certificates, beginning with the server's; empty if the server sends none in time.
  package var certificates: EventLoopFuture<[NIOSSLCertificate]> { promise.futureResult }

  /// Closes the connection; without effect after the certificates.
  package func cancel() { promise.succeed([]) }

  /// Returns the certificates, beginning with the server's; empty if the server sends none within the
  /// timeout, or if the task is cancelled.
  package static func certificates(
    of host: String, port: Int, timeout: TimeAmount
  ) async -> [NIOSSLCertificate] {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let reader = PeerCertificateReader(of: host, port: port, timeout: timeout, on: loop)
    return await withTaskCancellationHandler {
      (try? await reader.certificates.get()) ?? []
    } onCancel: {
      reader.cancel()
    }
  }

  /// A configuration without trusted certificates, so that each handshake fails.
  private static var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates([])
    return configuration
  }

  /// Returns a handler that reads the certificates and then fails the handshake.
  private static func handler(
    _ context: NIOSSLContext, _ host: String, _ promise: EventLoopPromise<[NIOSSLCertificate]>
  ) throws -> NIOSSLClientHandler {
    let verify: NIOSSLCustomVerificationCallback = { certificates, verdict in
      promise.succeed(certificates)
      verdict.succeed(.failed)
    }
    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    return try NIOSSLClientHandler(
      context: context, serverHostname: isAddress ? nil : host,
      customVerificationCallback: verify)
  }

  /// Ends the read if the connection ends without a certificate.
  private final class FailureHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<[NIOSSLCertificate]>

    init(_ promise: EventLoopPromise<[NIOSSLCertificate]>) { self.promise = promise }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      promise.succeed([])
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      promise.succeed([])
      context.fireChannelInactive()
    }
  }
}

extension PeerCertificate {
  /// Whether TLS failed because the certificate is not trusted or is for another host.
  package static func isRejected(_ error: any Error) -> Bool {
    switch error {
    case let error as NIOSSLExtraError: error == .failedToValidateHostname
    // The board's own certificates cannot be loaded.
    case NIOSSLError.noSuchFilesystemObject, NIOSSLError.failedToLoadCertificate,
      BoringSSLError.unknownError:
      true
    // Only the description contains the error code.
    case is NIOSSLError: "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { isRejected($0.error) } ?? false
    default: false
    }
  }

  /// Reads the names and dates of a certificate.
  package init(_ certificate: NIOSSLCertificate) {
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
