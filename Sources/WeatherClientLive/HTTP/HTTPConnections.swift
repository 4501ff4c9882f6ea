// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Dispatch
internal import NIOCore
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import SystemSupport
internal import TLSSupport

/// A process-wide set of HTTP clients, one per combination of route, certificates and limits.
///
/// The clients share their threads. They are shut down only if the system's certificates change.
enum HTTPConnections {
  struct Key: Hashable, Sendable {
    var route: ProxyEnvironment.Route
    /// The path of a PEM file with certificates that are trusted in addition to the system's.
    var certificates: String?
    var limitBytes: Int
    var timeouts: WeatherHTTP.Timeouts
    /// The certificates of the system.
    var store = CertificateStore()
    /// The stamps of the store when the client was made.
    fileprivate(set) var storeStamps: [FileStamp] = []

    init(
      route: ProxyEnvironment.Route, certificates: String?, limitBytes: Int,
      timeouts: WeatherHTTP.Timeouts, store: CertificateStore
    ) {
      self.route = route
      self.certificates = certificates
      self.limitBytes = limitBytes
      self.timeouts = timeouts
      self.store = store
    }
  }

  /// The maximum number of clients, far more than a board needs.
  private static let limit = 64
  private static let clients = Mutex<[Key: HTTPClient]>([:])

  /// Returns the client for a key, or `nil` if the maximum number of clients is reached.
  ///
  /// A client loads the system's certificates once. If these have changed, a new client replaces the
  /// old one, whose requests are cancelled.
  static func client(_ key: Key) -> HTTPClient? {
    let key = key.stamped
    return clients.withLock { clients in
      if let client = clients[key] { return client }
      for (old, client) in clients where old.isReplaced(by: key) {
        clients[old] = nil
        client.shutdown(queue: .global()) { _ in }
      }
      guard clients.count < limit else { return nil }
      let client = HTTPClient(
        eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration(key))
      clients[key] = client
      return client
    }
  }

  private static func configuration(_ key: Key) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(
      // `WeatherHTTP` decides which redirects to follow, since the URL contains a coordinate.
      redirectConfiguration: .disallow,
      timeout: .init(
        connect: TimeAmount(key.timeouts.connect), read: TimeAmount(key.timeouts.read)),
      // Limit the decompressed size: a megabyte of zeros compresses to a kilobyte.
      decompression: .enabled(limit: .size(key.limitBytes)))
    configuration.httpVersion = .http1Only
    // Fail immediately if the connection is refused, since the next lookup tries again.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.idleTimeout = .seconds(5)
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    key.store.apply(to: &tls)
    if let certificates = key.certificates { tls.additionalTrustRoots.append(.file(certificates)) }
    configuration.tlsConfiguration = tls
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

extension HTTPConnections.Key {
  /// The key with the current stamps of the store.
  fileprivate var stamped: Self {
    var key = self
    key.storeStamps = store.stamps
    return key
  }

  /// Whether the keys differ only in the stamps of the store.
  fileprivate func isReplaced(by new: Self) -> Bool {
    var old = self
    old.storeStamps = new.storeStamps
    return old == new && storeStamps != new.storeStamps
  }
}
