// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// HTTP clients, one for each way out, for the life of the process.
///
/// They have connections and threads to share, and nobody whose end would be the moment to shut
/// them down.
enum HTTPConnections {
  struct Key: Hashable, Sendable {
    var route: ProxyEnvironment.Route
    /// A PEM file with certificates to trust besides the system's.
    var certificates: String?
    var limitBytes: Int
  }

  /// Far more ways out than a board has.
  private static let limit = 64
  private static let clients = Mutex<[Key: HTTPClient]>([:])

  /// The client for a way out; `nil` where there are more than any board has.
  static func client(_ key: Key) -> HTTPClient? {
    clients.withLock { clients in
      if let client = clients[key] { return client }
      guard clients.count < limit else { return nil }
      let client = HTTPClient(
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration(key))
      clients[key] = client
      return client
    }
  }

  private static func configuration(_ key: Key) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(
      // Whoever asks decides where its coordinate may go.
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: .seconds(10)),
      // The unpacked size is what counts: a megabyte of zeros packs into a kilobyte.
      decompression: .enabled(limit: .size(key.limitBytes)))
    configuration.httpVersion = .http1Only
    // Refused is an answer: the next lookup tries again, not this one until its deadline.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.idleTimeout = .seconds(5)
    if let certificates = key.certificates {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.additionalTrustRoots = [.file(certificates)]
      configuration.tlsConfiguration = tls
    }
    switch key.route {
    case .direct: break
    case .forwarded:
      configuration.http1_1ConnectionDebugInitializer = { AbsoluteFormHandler.install(in: $0) }
    case .tunnelled(let proxy):
      configuration.proxy = .server(
        host: proxy.host, port: proxy.port,
        authorization: proxy.credentials.map { .basic(credentials: $0) })
    }
    return configuration
  }
}
