// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Decides what a request of a browser gets: a file of the page, a session, or the API as a client.
///
/// Over the Unix socket, the client is the process that connected. Over TCP, it is the user who
/// created the link that the browser has opened.
final class WebGate: Sendable {
  /// The way in which a request arrived.
  enum Entry {
    /// The Unix socket, from an identified process or an unknown one.
    case socket(Result<PeerEvidence, DaemonFault>)
    case tcp
  }

  /// The next step of a request.
  enum Route {
    /// Send this response, in pieces.
    case respond([[UInt8]])
    /// Handle the request as this client.
    case request(DaemonRequest, PeerEvidence, WebSession?)
  }

  /// The settings that depend on the configuration.
  struct Settings: Sendable {
    /// The names under which the page can be opened, besides those of this host; in lower case.
    var hosts: Set<String> = []
    /// The TLS certificate and key; `nil` for HTTP without TLS.
    var tls: NIOSSLContext?
    /// The address of the page, such as `http://127.0.0.1:8080`; `nil` if it is on no TCP port.
    var url: String?
    /// The reason why an address is not served; `nil` if all are.
    var failure: String?

    var scheme: String { tls == nil ? "http" : "https" }
  }

  private struct State {
    var settings = Settings()
    var sessions = WebSessions()
    /// Limits the lines about new sessions of each user in the log.
    var reports = RateLimit<UInt32>(burst: 10, perSecond: 1.0 / 60)
  }

  private let now: @Sendable () -> MonotonicTime
  private let utcNow: @Sendable () -> UTCTime
  private let file: WebSessionFile?
  private let ended: @Sendable (UInt64) -> Void
  private let report: @Sendable (String) -> Void
  /// The process of all sessions: a request of a session is pending as long as the daemon runs.
  private let process = ProcessEvidence().ownToken()
  private let state = Mutex(State())

  /// Creates a gate, with the sessions of a file if there is one.
  ///
  /// - Parameters:
  ///   - file: Keeps the sessions over a restart; `nil` to keep them in memory only.
  ///   - now: The monotonic clock.
  ///   - utcNow: The system clock.
  ///   - ended: Called with the number of each session that ends before its time.
  ///   - report: Writes a line about a new session to the log.
  init(
    file: WebSessionFile? = nil, now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime, ended: @escaping @Sendable (UInt64) -> Void,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.now = now
    self.utcNow = utcNow
    self.ended = ended
    self.report = report
    if let saved = file?.load() {
      state.withLock { $0.sessions.restore(saved, at: now(), utc: utcNow()) }
    }
  }

  /// Returns after the file has the current sessions.
  func flush() async { await file?.flush() }

  /// Writes the sessions to the file.
  private func save() {
    guard let file else { return }
    // Within the lock, so that the file is not overwritten by an older state.
    state.withLock { file.save($0.sessions.saved(at: now(), utc: utcNow())) }
  }

  var settings: Settings {
    get { state.withLock { $0.settings } }
    set { state.withLock { $0.settings = newValue } }
  }

  /// Routes a request whose host has been checked.
  ///
  /// - Throws: ``DaemonFault`` if the request is refused.
  func route(
    _ head: HTTPRequestHead, _ body: [UInt8], from entry: Entry
  ) throws(DaemonFault) -> Route {
    let target = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = target[0]
    if let file = WebPage.file(path) {
      guard head.method == .GET else { throw .method("GET") }
      return .respond(HTTPAnswer.file(file, to: head))
    }
    switch entry {
    case .socket(let peer):
      if path == "/login" { return .respond([HTTPAnswer.redirect(to: "/", cookie: nil)]) }
      let request = try request(head, body)
      if request.isDecision { try BrowserGuard.checkAction(head, scheme: nil) }
      let client = try peer.get()
      switch request.subject {
      case .webLink: return .respond([HTTPAnswer.object(try link(for: client.identity))])
      case .webSessions: return .respond([HTTPAnswer.object(sessions(of: client.identity))])
      case .webEnd(let number):
        return .respond([HTTPAnswer.object(endSessions(of: client.identity, number))])
      default: return .request(request, client, nil)
      }
    case .tcp:
      let scheme = settings.scheme
      if path == "/login" {
        let token = target.count > 1 ? target[1].trimmingPrefix("t=") : ""
        return .respond([login(String(token), head, scheme)])
      }
      // The page is read before its script can send the key. It shows the state in words only.
      let needsKey = path != "/"
      guard let session = session(of: head, query: target.dropFirst().first, needsKey: needsKey)
      else {
        guard path != "/" else { return .respond([Self.loginNotice]) }
        throw .noSession
      }
      if head.method != .GET { try BrowserGuard.checkAction(head, scheme: scheme) }
      let request = try request(head, body)
      switch request.subject {
      case .webLink, .webSessions: throw .notFound
      case .webEnd:
        state.withLock { $0.sessions.end(session.number) }
        save()
        ended(session.number)
        return .respond([HTTPAnswer.object(EndedSessions(count: 1).json)])
      default: break
      }
      return .request(request, PeerEvidence(identity: session.client, process: process), session)
    }
  }

  private func request(
    _ head: HTTPRequestHead, _ body: [UInt8]
  ) throws(DaemonFault) -> DaemonRequest {
    try DaemonRequest(method: head.method.rawValue, target: head.uri, body: body)
  }

  // MARK: Sessions

  /// Ends all sessions, and makes all links void.
  func endSessions() {
    let numbers = state.withLock { $0.sessions.removeAll() }
    if !numbers.isEmpty { save() }
    for number in numbers { ended(number) }
  }

  /// The sessions of a client; those of all clients for an operator.
  private func sessions(of client: ClientIdentity) -> [UInt8] {
    let now = now()
    let sessions = state.withLock { $0.sessions.all(at: now) }
      .filter { $0.client == client || client.isOperator }
    return WebSessionList(
      sessions: sessions.map {
        .init(
          number: $0.number, client: "\($0.client)", browser: $0.browser,
          expires: Int(max($0.end.seconds(since: now), 0)))
      }
    ).json
  }

  /// Ends a session of a client, or all its sessions and links; those of all clients for an operator.
  private func endSessions(of client: ClientIdentity, _ number: UInt64?) -> [UInt8] {
    let numbers = state.withLock { state in
      state.sessions.end(number) { $0 == client || client.isOperator }
    }
    if !numbers.isEmpty { save() }
    for number in numbers { ended(number) }
    return EndedSessions(count: numbers.count).json
  }

  /// Creates a link for a user.
  private func link(for client: ClientIdentity) throws(DaemonFault) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let token = WebToken(using: &generator)
    let (url, failure) = state.withLock { state in
      if state.settings.url != nil { state.sessions.mint(token, for: client, at: now()) }
      return (state.settings.url, state.settings.failure)
    }
    guard let url else { throw failure.map { .webFailed($0) } ?? .webOff }
    return WebLink(url: "\(url)/login?t=\(token.text)", expiresSeconds: WebSessions.linkSeconds)
      .json
  }

  private func login(_ text: String, _ head: HTTPRequestHead, _ scheme: String) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let secret = WebSessions.Secret(using: &generator)
    let browser = head.headers["User-Agent"].first.map {
      UntrustedText.plain($0, maxBytes: Self.maxBrowserBytes)
    }
    let opened = state.withLock {
      $0.sessions.redeem(text, as: secret, by: browser, at: now())
    }
    guard let opened else {
      return HTTPAnswer.document(
        WebPage.notice(
          title: "Fixcast",
          text: "This link was already used, or has expired. For a new one, run on the board: "
            + "sudo fixcast web"), status: 403)
    }
    save()
    if let removed = opened.removed { ended(removed) }
    let client = opened.session.client
    if state.withLock({ $0.reports.take(from: client.userID, at: now()) }) {
      report("web session \(opened.session.number) opened with a link of \(client)")
    }
    let cookie =
      "\(Self.cookieName(head, scheme))=\(secret.cookie.text); HttpOnly; SameSite=Strict; Path=/; "
      + "Max-Age=\(WebSessions.sessionSeconds)" + (scheme == "https" ? "; Secure" : "")
    // Browsers do not send the part after `#` to any server.
    return HTTPAnswer.redirect(to: "/#key=\(secret.key.text)", cookie: cookie)
  }

  /// The session of a request's cookie and key; `nil` if there is none.
  ///
  /// The script of the page sends the key in a field, and in the query of the event stream, for which a
  /// browser sends no further fields.
  private func session(
    of head: HTTPRequestHead, query: Substring?, needsKey: Bool
  ) -> WebSession? {
    let (name, now) = (Self.cookieName(head, settings.scheme), now())
    let inQuery = query?.split(separator: "&").first { $0.hasPrefix("key=") }?.dropFirst(4)
    let key = head.headers[Self.keyField].first.map { $0[...] } ?? inQuery ?? ""
    for field in head.headers["Cookie"] {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmingPrefix(while: { $0 == " " }) == name else {
          continue
        }
        let session = state.withLock { state in
          needsKey
            ? state.sessions.session(parts[1], key: key, at: now)
            : state.sessions.session(parts[1], at: now)
        }
        if let session { return session }
      }
    }
    return nil
  }

  /// The maximum length of the name of a browser; 64 sessions fit into the file.
  private static let maxBrowserBytes = 200

  /// The field with the key of a session.
  static let keyField = "X-Fixcast-Key"

  /// The name of the cookie, which contains the port in the browser's address: browsers send the
  /// cookies of all ports of a host.
  private static func cookieName(_ head: HTTPRequestHead, _ scheme: String) -> String {
    let host = head.headers["Host"].first ?? ""
    let port = host.split(separator: ":").last.flatMap { UInt16($0) }
    return "fixcast_\(port ?? (scheme == "https" ? 443 : 80))"
  }

  private static let loginNotice = HTTPAnswer.document(
    WebPage.notice(
      title: "Fixcast",
      text: "Log in with a link. Run on the board: sudo fixcast web"),
    status: 401)
}
