// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
internal import Glibc

/// Looking for the daemon at once, for those who cannot wait for a task.
extension DaemonClient {
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
}
