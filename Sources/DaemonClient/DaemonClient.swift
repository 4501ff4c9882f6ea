// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
public import DaemonProtocol
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import Positioning

/// Speaks to the daemon on its Unix socket, as the program that it is in.
public struct DaemonClient: Sendable {
  /// Where the daemon listens.
  public let address: DaemonAddress
  let now: @Sendable () -> MonotonicTime
  /// What silence on a stream is measured by; it stands still while the board is asleep.
  var silenceClock: any Clock<Duration> = SuspendingClock()

  private static let maxAnswerBytes = 1 << 20
  /// The pause before connecting again where the queue of the socket was full.
  private static let pause = TimeAmount.milliseconds(5)

  /// For the life of the process: it has connections to share, and no moment to be shut down at.
  private static let http: HTTPClient = {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    // Each manager keeps a stream, and each request that waits for an operator a connection: how many
    // there may be is the daemon's to say, which takes no more than this in all.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
    return HTTPClient(
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }()

  /// Makes a client; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - address: Where the daemon listens.
  ///   - now: Reads the clock that locations are to be received by.
  public init(
    address: DaemonAddress = DaemonAddress(),
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.address = address
    self.now = now
  }

  /// How the daemon is, and what this program may know.
  ///
  /// - Parameter timeoutSeconds: How long the answer is waited for, 1 or more.
  /// - Returns: The status.
  /// - Throws: ``DaemonClientError``.
  public func status(timeoutSeconds: Int = 10) async throws(DaemonClientError) -> DaemonStatus {
    let body = try await answer(
      to: DaemonRequest(.status), milliseconds: Int64(timeoutSeconds) * 1000)
    do { return try DaemonStatus(json: body) } catch { throw .unreadable(error) }
  }

  /// Where the board is, once, as precisely as this program may know.
  ///
  /// - Parameters:
  ///   - timeoutSeconds: How long to wait for a position, and for an operator, 1 to 3600.
  ///   - purpose: What for; where nobody has decided about this program, that is asked for.
  /// - Returns: The fix; one of reduced accuracy without when it was received, since its age is not
  ///   told, and its time is the beginning of its quarter of an hour.
  /// - Throws: ``DaemonClientError``.
  public func location(
    timeoutSeconds: Int = DaemonRequest.usualTimeoutSeconds, purpose: String? = nil
  ) async throws(DaemonClientError) -> Fix {
    let body = try await answer(
      to: DaemonRequest(.location(timeoutSeconds: timeoutSeconds), purpose: purpose),
      milliseconds: (Int64(timeoutSeconds) + 10) * 1000)
    switch try read(body) {
    case .fix(let fix) where fix.mode > .none: return fix
    default:
      throw .unreadable(DaemonUnreadable(what: String(decoding: body.prefix(200), as: UTF8.self)))
    }
  }

  /// Asks to be allowed more.
  ///
  /// - Parameter request: What, what for, and how long the answer is waited for. A request waits
  ///   for as long as this program has any connection.
  /// - Returns: What holds then.
  /// - Throws: ``DaemonClientError``.
  public func authorize(
    _ request: DaemonAuthorizationRequest
  ) async throws(DaemonClientError) -> DaemonAuthorization {
    let body = try await answer(
      to: DaemonRequest(.authorization(request)),
      milliseconds: (Int64(request.timeoutSeconds) + 40) * 1000)
    guard case .authorization(let told) = try read(body) else {
      throw .unreadable(DaemonUnreadable(what: String(decoding: body.prefix(200), as: UTF8.self)))
    }
    return told
  }

  func read(_ json: [UInt8]) throws(DaemonClientError) -> DaemonEvent {
    do { return try DaemonEvent(json: json, now: now()) } catch { throw .unreadable(error) }
  }

  func answer(
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
    } catch { throw .disconnected("the answer broke off: \(error)") }
    let status = Int(response.status.code)
    guard status != 200 else { return body }
    guard let fault = DaemonFault(status: status, json: body) else {
      throw .unreadable(DaemonUnreadable(what: "status \(status)"))
    }
    throw DaemonClientError(fault)
  }

  func send(
    _ request: DaemonRequest, deadline: NIODeadline
  ) async throws(DaemonClientError) -> HTTPClientResponse {
    let asked = request.plain
    let host = PercentEncoding.encoded(address.socketPath)
    var message = HTTPClientRequest(url: "http+unix://\(host)\(asked.target)")
    message.method = asked.method == "POST" ? .POST : .GET
    if asked.method == "POST" {
      message.headers.add(name: "Content-Type", value: "application/json")
      message.body = .bytes(asked.body)
    }
    while true {
      do { return try await Self.http.execute(message, deadline: deadline) } catch {
        // The queue of the socket is full, as while another process connects in a loop.
        guard (error as? IOError)?.errnoCode == EAGAIN, .now() + Self.pause < deadline,
          (try? await Task.sleep(for: .nanoseconds(Self.pause.nanoseconds))) != nil
        else { throw meaning(of: error) }
      }
    }
  }

  private func meaning(of error: any Error) -> DaemonClientError {
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

  // MARK: Looking, for those who cannot wait for a task

  /// Whether somebody listens on the socket; a moment's look.
  public var isAnswered: Bool { presence == .listening }

  /// Who is to be found at the socket; a moment's look.
  public var presence: DaemonPresence {
    DaemonPresence(connecting: SocketProbe(path: address.socketPath).connect())
  }

  /// How the daemon is, and what this program may know, asked on this thread.
  ///
  /// The daemon answers within milliseconds; one that does not is not waited for.
  ///
  /// - Parameter milliseconds: How long it may take.
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
    guard !answer.isEmpty else { throw .disconnected("it has ended the connection") }
    let unreadable = DaemonUnreadable(what: String(decoding: answer.prefix(200), as: UTF8.self))
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

  // MARK: Following the stream

  /// Takes the events of one connection until it ends, or nothing has come on it for too long.
  func stream(
    _ request: DaemonRequest, _ take: @escaping @Sendable (DaemonEvent) -> Void
  ) async throws(DaemonClientError) {
    let response = try await send(
      request, deadline: .now() + .seconds(StreamSilence.answerSeconds))
    guard response.status == .ok else {
      _ = try await Self.body(of: response)
      return
    }
    let declared = response.headers.first(name: DaemonHeartbeat.field)
    let watch = SilenceWatch(
      StreamSilence(heartbeatSeconds: DaemonHeartbeat.seconds(declared)), clock: silenceClock)
    let failure = await withTaskGroup(of: End.self) { group in
      group.addTask {
        do throws(DaemonClientError) { try await read(response.body, watch, take) } catch {
          return .over(error)
        }
        return .over(nil)
      }
      group.addTask { await watch.waitUntilSilent() ? .over(.silent) : .unwatched }
      for await end in group {
        guard case .over(let failure) = end else { continue }
        group.cancelAll()
        return failure
      }
      return nil as DaemonClientError?
    }
    if let failure { throw failure }
  }

  private enum End {
    case over(DaemonClientError?)
    /// Nothing is declared that its silence could be measured by.
    case unwatched
  }

  private func read(
    _ body: HTTPClientResponse.Body, _ watch: SilenceWatch, _ take: (DaemonEvent) -> Void
  ) async throws(DaemonClientError) {
    var parser = ServerSentEventParser()
    var failure: DaemonClientError?
    do {
      for try await piece in body {
        watch.hear()
        try parser.append(piece.readableBytesView) { event in
          do throws(DaemonClientError) { take(try read(event.data)) } catch { failure = error }
        }
        if let failure { throw failure }
      }
    } catch let error as DaemonClientError {
      throw error
    } catch {
      throw .disconnected("the stream broke off: \(error)")
    }
  }
}
