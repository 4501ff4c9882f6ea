// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Positioning
internal import SystemSupport

/// Reads the certificate of a server that failed the verification.
///
/// The HTTP client does not report the certificate that it rejected. This reader therefore begins a
/// second TLS handshake, which it ends when the certificate arrives. The server receives the host
/// name, as in the first handshake, and nothing else: no request is sent to a server without a
/// verified certificate.
enum PeerCertificateReader {
  /// Returns the certificate; `nil` if the server sends none within the timeout for the connection and
  /// the handshake together.
  static func certificate(
    of host: String, port: Int, timeout: TimeAmount
  ) async -> PeerCertificate? {
    guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: PeerCertificate?.self)
    let timer = loop.scheduleTask(in: timeout) { promise.succeed(nil) }
    let channel = ClientBootstrap(group: loop).connectTimeout(timeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(handler(context, host, promise))
          try pipeline.addHandler(FailureHandler(promise))
        }
      }
      .connect(host: host, port: port)
    channel.whenFailure { _ in promise.succeed(nil) }
    return await withTaskCancellationHandler {
      let certificate = try? await promise.futureResult.get()
      timer.cancel()
      channel.whenSuccess { $0.close(promise: nil) }
      return certificate
    } onCancel: {
      promise.succeed(nil)
    }
  }

  /// A configuration without trusted certificates, so that each handshake fails.
  private static var configuration: TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates([])
    return configuration
  }

  /// Returns a handler that reads the first certificate and then fails the handshake.
  private static func handler(
    _ context: NIOSSLContext, _ host: String, _ promise: EventLoopPromise<PeerCertificate?>
  ) throws -> NIOSSLClientHandler {
    let verify: NIOSSLCustomVerificationCallback = { certificates, verdict in
      promise.succeed(certificates.first.map { PeerCertificate($0) })
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
    private let promise: EventLoopPromise<PeerCertificate?>

    init(_ promise: EventLoopPromise<PeerCertificate?>) { self.promise = promise }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      promise.succeed(nil)
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      promise.succeed(nil)
      context.fireChannelInactive()
    }
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
