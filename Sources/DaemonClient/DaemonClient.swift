// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
public import DaemonProtocol
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import Positioning

/// A client of the daemon on its Unix socket.
///
/// The daemon identifies and authorizes the process that uses the client.
public struct DaemonClient: Sendable {
  /// The address of the daemon.
  public let address: DaemonAddress
  let now: @Sendable () -> MonotonicTime
  /// The clock that measures how long a stream has received no data.
  ///
  /// Must not advance while the board is suspended.
  var streamClock: any Clock<Duration> = SuspendingClock()

  private static let maxAnswerBytes = 1 << 20
  /// The pause before connecting again if the queue of the socket was full.
  private static let pause = TimeAmount.milliseconds(5)

  /// The HTTP client, shared by all instances and never shut down.
  private static let http: HTTPClient = {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    // Each location manager keeps a stream open, and each request that waits for an operator keeps
    // a connection open. The daemon limits the number of connections; 256 is the daemon's maximum
    // for all clients together.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
    return HTTPClient(
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }()

  /// Creates a client without connecting.
  ///
  /// - Parameters:
  ///   - address: The address of the daemon.
  ///   - now: The clock that timestamps received locations.
  public init(
    address: DaemonAddress = DaemonAddress(),
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.address = address
    self.now = now
  }

  /// Requests the daemon's status and this program's authorization.
  ///
  /// - Parameter timeoutSeconds: The time limit in seconds, at least 1.
  /// - Returns: The status.
  /// - Throws: ``DaemonClientError``.
  public func status(timeoutSeconds: Int = 10) async throws(DaemonClientError) -> DaemonStatus {
    let body = try await responseBody(
      to: DaemonRequest(.status), milliseconds: Int64(timeoutSeconds) * 1000)
    do { return try DaemonStatus(json: body) } catch { throw .unreadable(error) }
  }

  /// Requests the daemon's status as metrics for Prometheus.
  ///
  /// - Parameter timeoutSeconds: The time limit in seconds, at least 1.
  /// - Returns: The metrics in the text format of Prometheus.
  /// - Throws: ``DaemonClientError``.
  package func metrics(timeoutSeconds: Int = 10) async throws(DaemonClientError) -> [UInt8] {
    try await responseBody(
      to: DaemonRequest(.metrics), milliseconds: Int64(timeoutSeconds) * 1000)
  }

  /// Requests a link that opens the status page for this program's user.
  ///
  /// - Returns: The link; `nil` if the page is on no TCP port.
  /// - Throws: ``DaemonClientError``.
  package func webLink() async throws(DaemonClientError) -> WebLink? {
    let body: [UInt8]
    do throws(DaemonClientError) {
      body = try await responseBody(to: DaemonRequest(.webLink), milliseconds: 10_000)
    } catch {
      if case .rejected(let fault) = error, fault.error == DaemonFault.webOff.error { return nil }
      throw error
    }
    guard let link = WebLink(json: body) else { throw Self.unreadable(body) }
    return link
  }

  /// Requests the sessions of the status page of this program's user; as root in a login, all sessions.
  ///
  /// - Throws: ``DaemonClientError``.
  package func webSessions() async throws(DaemonClientError) -> WebSessionList {
    let body = try await responseBody(to: DaemonRequest(.webSessions), milliseconds: 10_000)
    guard let list = WebSessionList(json: body) else { throw Self.unreadable(body) }
    return list
  }

  /// Ends sessions of the status page of this program's user; as root in a login, of all users.
  ///
  /// - Parameter session: The number of a session; `nil` for all sessions.
  /// - Returns: The number of sessions that have ended.
  /// - Throws: ``DaemonClientError``.
  package func endWebSessions(
    _ session: UInt64? = nil
  ) async throws(DaemonClientError) -> EndedSessions {
    let body = try await responseBody(
      to: DaemonRequest(.webEnd(session: session)), milliseconds: 10_000)
    guard let ended = EndedSessions(json: body) else { throw Self.unreadable(body) }
    return ended
  }

  private static func unreadable(_ body: [UInt8]) -> DaemonClientError {
    .unreadable(DaemonDecodingError(what: String(decoding: body.prefix(200), as: UTF8.self)))
  }

  /// Requests the board's current location, with the accuracy that this program is authorized for.
  ///
  /// - Parameters:
  ///   - timeoutSeconds: The time to wait for a position and for an operator's decision, 1 to 3600
  ///     seconds.
  ///   - purpose: The reason for the request. If there is a purpose and the authorization is not
  ///     determined, authorization while in use is also requested.
  /// - Returns: The fix. With reduced accuracy, the fix has no time of reception, and its time is
  ///   truncated to a quarter of an hour.
  /// - Throws: ``DaemonClientError``.
  public func location(
    timeoutSeconds: Int = DaemonRequest.defaultTimeoutSeconds, purpose: String? = nil
  ) async throws(DaemonClientError) -> Fix {
    let body = try await responseBody(
      to: DaemonRequest(.location(timeoutSeconds: timeoutSeconds), purpose: purpose),
      milliseconds: (Int64(timeoutSeconds) + 10) * 1000)
    return try readLastKnownFix(body).fix
  }

  /// Requests the board's current location, or else the last known location.
  ///
  /// The daemon keeps the last location in memory, so it knows none after its restart.
  ///
  /// - Parameters:
  ///   - maxAgeSeconds: The maximum age of the last known location, 1 to 1,000,000,000 seconds.
  ///   - timeoutSeconds: The time to wait for an operator's decision, and for a position if there
  ///     is no known location of that age, 1 to 3600 seconds.
  ///   - purpose: The reason for the request, as for
  ///     ``location(timeoutSeconds:purpose:)``.
  /// - Returns: The fix, marked as current or not.
  /// - Throws: ``DaemonClientError``.
  public func lastLocation(
    maxAgeSeconds: Int = DaemonRequest.maxAgeLimitSeconds,
    timeoutSeconds: Int = DaemonRequest.defaultTimeoutSeconds, purpose: String? = nil
  ) async throws(DaemonClientError) -> LastKnownFix {
    let subject = DaemonRequest.Subject.location(
      timeoutSeconds: timeoutSeconds, maxAgeSeconds: maxAgeSeconds)
    let body = try await responseBody(
      to: DaemonRequest(subject, purpose: purpose),
      milliseconds: (Int64(timeoutSeconds) + 10) * 1000)
    return try readLastKnownFix(body)
  }

  private func readLastKnownFix(_ json: [UInt8]) throws(DaemonClientError) -> LastKnownFix {
    do { return try LastKnownFix(json: json, now: now()) } catch { throw .unreadable(error) }
  }

  /// Requests authorization.
  ///
  /// After the timeout, the request stays pending while this program has any connection to the
  /// daemon, so that an operator can still decide it.
  ///
  /// - Parameter request: The request.
  /// - Returns: The authorization after the decision or the timeout.
  /// - Throws: ``DaemonClientError``.
  public func authorize(
    _ request: DaemonAuthorizationRequest
  ) async throws(DaemonClientError) -> DaemonAuthorization {
    let body = try await responseBody(
      to: DaemonRequest(.authorization(request)),
      milliseconds: (Int64(request.timeoutSeconds) + 40) * 1000)
    guard case .authorization(let authorization) = try read(body) else {
      throw .unreadable(
        DaemonDecodingError(what: String(decoding: body.prefix(200), as: UTF8.self)))
    }
    return authorization
  }

  func read(_ json: [UInt8]) throws(DaemonClientError) -> DaemonEvent {
    do { return try DaemonEvent(json: json, now: now()) } catch { throw .unreadable(error) }
  }

  func responseBody(
    to request: DaemonRequest, milliseconds: Int64
  ) async throws(DaemonClientError) -> [UInt8] {
    let response = try await send(request, deadline: .now() + .milliseconds(milliseconds))
    return try await Self.body(of: response)
  }

  static func body(
    of response: HTTPClientResponse
  ) async throws(DaemonClientError) -> [UInt8] {
    let body: [UInt8]
    do {
      body = Array(try await response.body.collect(upTo: maxAnswerBytes).readableBytesView)
    } catch { throw .disconnected("incomplete answer: \(error)") }
    let status = Int(response.status.code)
    guard status != 200 else { return body }
    guard let fault = DaemonFault(status: status, json: body) else {
      throw .unreadable(DaemonDecodingError(what: "status \(status)"))
    }
    throw DaemonClientError(fault)
  }

  func send(
    _ request: DaemonRequest, deadline: NIODeadline
  ) async throws(DaemonClientError) -> HTTPClientResponse {
    let request = request.sanitized
    let host = PercentEncoding.encoded(address.socketPath)
    var message = HTTPClientRequest(url: "http+unix://\(host)\(request.target)")
    message.method = request.method == "POST" ? .POST : .GET
    if request.method == "POST" {
      message.headers.add(name: "Content-Type", value: "application/json")
      message.body = .bytes(request.body)
    }
    return try await Self.retrying(until: deadline) { () throws(DaemonClientError) in
      do { return try await Self.http.execute(message, deadline: deadline) } catch {
        throw clientError(for: error)
      }
    }
  }

  /// Retries while the queue of the socket is full, as when another process connects in a loop.
  ///
  /// - Throws: The error of the last attempt. If the deadline passes during an attempt after a full
  ///   queue, the full queue is the error, although that attempt may have reached the daemon.
  static func retrying<Value>(
    until deadline: NIODeadline, _ attempt: () async throws(DaemonClientError) -> Value
  ) async throws(DaemonClientError) -> Value {
    var wasQueueFull = false
    while true {
      do throws(DaemonClientError) { return try await attempt() } catch {
        if wasQueueFull, error == .silent { throw .refused(.busy) }
        wasQueueFull = error == .refused(.busy)
        guard wasQueueFull, .now() + pause < deadline,
          (try? await Task.sleep(for: .nanoseconds(pause.nanoseconds))) != nil
        else { throw error }
      }
    }
  }

  private func clientError(for error: any Error) -> DaemonClientError {
    switch error {
    case let error as IOError where [ENOENT, ENOTDIR, ECONNREFUSED].contains(error.errnoCode):
      .noDaemon(path: address.socketPath)
    case let error as IOError where [EACCES, EPERM].contains(error.errnoCode):
      .notPermitted(path: address.socketPath)
    case let error as IOError where error.errnoCode == EAGAIN: .refused(.busy)
    case let error as IOError: .disconnected(String(cString: strerror(error.errnoCode)))
    case let error as HTTPClientError
    where [.deadlineExceeded, .connectTimeout].contains(error): .silent
    case let error as HTTPClientError: .disconnected(error.shortDescription)
    default: .disconnected("\(error)")
    }
  }

  // MARK: Synchronous requests

  /// Whether a process is listening on the socket.
  ///
  /// Does not wait.
  public var isListening: Bool { presence == .listening }

  /// The result of a single attempt to connect to the socket.
  ///
  /// Does not wait.
  public var presence: DaemonPresence {
    DaemonPresence(connecting: SocketProbe(path: address.socketPath).connect())
  }

  /// Requests the daemon's status and this program's authorization, and blocks the calling thread.
  ///
  /// The daemon normally responds within milliseconds.
  ///
  /// - Parameter milliseconds: The time limit.
  /// - Returns: The status.
  /// - Throws: ``DaemonClientError``.
  public func statusNow(milliseconds: Int32 = 2000) throws(DaemonClientError) -> DaemonStatus {
    let probe = SocketProbe(path: address.socketPath)
    let code = probe.connect(waitingMilliseconds: milliseconds)
    switch DaemonPresence(connecting: code) {
    case .listening: if code != 0 { throw .refused(.busy) }
    case .forbidden: throw .notPermitted(path: address.socketPath)
    case .absent: throw .noDaemon(path: address.socketPath)
    case .unknown:
      throw .disconnected("\(address.socketPath): \(String(cString: strerror(code)))")
    }
    let request = DaemonRequest(.status)
    let head = "GET \(request.target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    guard let answer = probe.exchange(Array(head.utf8), milliseconds: milliseconds) else {
      throw .silent
    }
    return try Self.status(in: answer)
  }

  private static func status(in answer: [UInt8]) throws(DaemonClientError) -> DaemonStatus {
    guard !answer.isEmpty else { throw .disconnected("connection closed by the daemon") }
    let unreadable = DaemonDecodingError(what: String(decoding: answer.prefix(200), as: UTF8.self))
    let end: [UInt8] = Array("\r\n\r\n".utf8)
    let start = answer.indices.first { answer[$0...].starts(with: end) }
    let words = answer.prefix { $0 != 0x0D }.split(separator: UInt8(ascii: " "))
    guard let start, words.first?.starts(with: "HTTP/1.".utf8) == true, words.count > 1,
      let code = Int(String(decoding: words[1], as: UTF8.self))
    else { throw .unreadable(unreadable) }
    let body = Array(answer[(start + end.count)...])
    guard code == 200 else {
      guard let fault = DaemonFault(status: code, json: body) else { throw .unreadable(unreadable) }
      throw DaemonClientError(fault)
    }
    do { return try DaemonStatus(json: body) } catch { throw .unreadable(error) }
  }

  // MARK: Streams

  /// Delivers the events of one connection until it is closed, or has received no data for too
  /// long.
  func stream(
    _ request: DaemonRequest, _ take: @escaping @Sendable (DaemonEvent) -> Void
  ) async throws(DaemonClientError) {
    let response = try await send(
      request, deadline: .now() + .seconds(StreamTimeout.answerSeconds))
    guard response.status == .ok else {
      _ = try await Self.body(of: response)
      return
    }
    let declaredInterval = response.headers.first(name: DaemonHeartbeat.field)
    let timeout = StreamTimeout(
      heartbeatSeconds: DaemonHeartbeat.seconds(declaredInterval), clock: streamClock)
    let failure = await withTaskGroup(of: End.self) { group in
      group.addTask {
        do throws(DaemonClientError) { try await read(response.body, timeout, take) } catch {
          return .ended(error)
        }
        return .ended(nil)
      }
      group.addTask { await timeout.wait() ? .ended(.silent) : .unwatched }
      for await end in group {
        guard case .ended(let failure) = end else { continue }
        group.cancelAll()
        return failure
      }
      return nil as DaemonClientError?
    }
    if let failure { throw failure }
  }

  private enum End {
    case ended(DaemonClientError?)
    /// There was no timeout, because the task was cancelled or the daemon declares no heartbeat
    /// interval.
    case unwatched
  }

  private func read(
    _ body: HTTPClientResponse.Body, _ timeout: StreamTimeout, _ take: (DaemonEvent) -> Void
  ) async throws(DaemonClientError) {
    var parser = ServerSentEventParser()
    var failure: DaemonClientError?
    do {
      for try await piece in body {
        timeout.recordInput()
        try parser.append(piece.readableBytesView) { event in
          do throws(DaemonClientError) { take(try read(event.data)) } catch { failure = error }
        }
        if let failure { throw failure }
      }
    } catch let error as DaemonClientError {
      throw error
    } catch {
      throw .disconnected("the stream was interrupted: \(error)")
    }
  }
}
