// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOSSL
internal import Positioning
internal import Synchronization
package import SystemSupport

/// Listens for browsers on TCP.
///
/// Only loopback addresses are served without TLS.
package final class WebServer: Sendable {
  package struct Settings: Equatable, Sendable {
    package var addresses: [ListenAddress]
    /// The names under which browsers may open the page, besides loopback names and addresses.
    package var hosts: [String]
    /// The paths of the certificate chain and of the key, as PEM files; `nil` for HTTP without TLS.
    package var certificate: (file: String, key: String)?
    /// The reason why the key may not be used; `nil` if it may be.
    package var keyError: String?
    /// A listening socket that the service manager has passed to the program; `nil` for none.
    package var inherited: Int32?

    package init(
      addresses: [ListenAddress] = [], hosts: [String] = [],
      certificate: (file: String, key: String)? = nil, inherited: Int32? = nil
    ) {
      self.addresses = addresses
      self.hosts = hosts
      self.certificate = certificate
      self.inherited = inherited
    }

    package static func == (first: Self, second: Self) -> Bool {
      (first.addresses, first.hosts, first.keyError, first.inherited)
        == (second.addresses, second.hosts, second.keyError, second.inherited)
        && first.certificate?.file == second.certificate?.file
        && first.certificate?.key == second.certificate?.key
    }
  }

  private let gate: WebGate
  private let server: FeedServer
  private let report: @Sendable (String) -> Void
  private let now: @Sendable () -> MonotonicTime
  /// The reason why no address is served, and its time; `nil` if addresses are served.
  private let failure = Mutex<(text: String, since: MonotonicTime)?>(nil)
  /// The settings in use; held while they are applied.
  private let applied = Mutex(Settings())

  init(
    _ gate: WebGate, _ server: FeedServer, now: @escaping @Sendable () -> MonotonicTime,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.gate = gate
    self.server = server
    self.now = now
    self.report = report
    server.whenRecovered { [weak self] in
      guard let self else { return }
      applied.withLock { updateLinks($0) }
    }
  }

  package var status: FeedServer.Status {
    var status = server.status
    if let failure = failure.withLock({ $0 }) {
      status.failures.append(failure.text)
      status.hasFailed = true
      status.since = failure.since
    }
    return status
  }

  /// Listens as the settings say; reads the certificate again.
  ///
  /// If no address is served any more, all sessions end, except if only the key cannot be used.
  /// Restored sessions are kept while no address can be used yet.
  ///
  /// Do not call concurrently.
  package func apply(_ settings: Settings) {
    applied.withLock { applied in
      applied = settings
      let wasServed = !server.status.listening.isEmpty
      listen(settings)
      updateLinks(settings)
      let isServed = !server.status.listening.isEmpty
      let isWithoutKey = settings.keyError != nil
      if Self.addresses(settings).isEmpty || wasServed && !isServed && !isWithoutKey {
        gate.endSessions()
      }
    }
  }

  private static func addresses(_ settings: Settings) -> [ListenAddress] {
    settings.addresses + (settings.inherited.flatMap(TCPListener.address).map { [$0] } ?? [])
  }

  private func listen(_ settings: Settings) {
    var access = WebGate.Settings()
    access.hosts = Set(settings.hosts.map { $0.lowercased() })
    let newFailure = prepare(&access, settings, Self.addresses(settings))
    let oldFailure = failure.withLock { failure in
      defer { failure = newFailure.map { ($0, failure?.since ?? now()) } }
      return failure?.text
    }
    if let newFailure {
      if newFailure != oldFailure { report("web server: \(newFailure)") }
      server.apply(FeedServer.Settings())
      gate.settings = WebGate.Settings()
    } else {
      // The first connection needs the certificate.
      access.url = gate.settings.url
      gate.settings = access
      server.apply(
        FeedServer.Settings(addresses: settings.addresses, inherited: settings.inherited))
    }
  }

  /// Points links to the first address that is served.
  private func updateLinks(_ settings: Settings) {
    var access = gate.settings
    let listening = server.status.listening
    access.url = Self.addresses(settings).first { listening.contains("\($0)") }
      .map { Self.url(access.scheme, $0, settings.hosts.first) }
    access.failure = status.failures.first
    gate.settings = access
  }

  /// Sets up TLS; returns the reason why no address is served.
  private func prepare(
    _ access: inout WebGate.Settings, _ settings: Settings, _ addresses: [ListenAddress]
  ) -> String? {
    guard let certificate = settings.certificate else {
      let open = addresses.first { !$0.isLoopback }
      return open.map {
        "\($0) is not a loopback address; set tls_certificate_file and tls_key_file below [web]"
      }
    }
    if let error = settings.keyError {
      return "\(error); mend the file, then run: sudo systemctl restart fixcast"
    }
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate.file)
        .map { NIOSSLCertificateSource.certificate($0) }
      let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      access.tls = try NIOSSLContext(configuration: configuration)
      return nil
    } catch {
      return "cannot use the certificate \(certificate.file) with the key \(certificate.key): "
        + "\(Self.reason(error, certificate)); then: sudo systemctl reload fixcast"
    }
  }

  private static func reason(
    _ error: any Error, _ certificate: (file: String, key: String)
  ) -> String {
    for path in [certificate.file, certificate.key] where access(path, R_OK) != 0 {
      return "\(path): \(String(cString: strerror(errno)))"
    }
    return "they are not a PEM certificate and its key (\(error))"
  }

  /// The address of the page, preferably with a name, because a certificate is for names.
  private static func url(
    _ scheme: String, _ address: ListenAddress, _ name: String?
  ) -> String {
    guard !address.isLoopback, let name else { return "\(scheme)://\(address)" }
    return "\(scheme)://\(name):\(address.port)"
  }

  /// Stops listening.
  func stop() async { await server.stop() }
}
