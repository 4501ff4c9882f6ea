// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Synchronization
import Testing

/// A server on the loopback interface that replies to each request with a script.
///
/// The test fails if a request contains a number with more decimals than the grid.
final class LoopbackServer: Sendable {
  /// The pieces of a response, which may be invalid, and the pause between two pieces.
  struct Script: Sendable {
    var pieces: [[UInt8]]
    var pauseMicroseconds: UInt32 = 0
    /// The number of times that the last piece is repeated.
    var repeatsLast = 0
    /// Whether the connection ends with a reset.
    var resets = false
  }

  private let listener: ListeningSocket
  private let gridDecimals: Int
  private let checkedCount = Mutex(0)
  let port: UInt16
  /// The heads of the requests.
  let heads = EventRecorder<String>()

  /// The heads of the requests so far.
  var requests: [String] { heads.events }
  var baseURL: String { "http://127.0.0.1:\(port)" }

  convenience init(_ script: @escaping @Sendable (_ port: UInt16) -> Script) {
    self.init { _, port in script(port) }
  }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - gridDecimals: The maximum number of decimals of each number in a request.
  ///   - script: Returns the response to the head of a request.
  init(
    gridDecimals: Int = 2,
    _ script: @escaping @Sendable (_ head: String, _ port: UInt16) -> Script
  ) {
    self.gridDecimals = gridDecimals
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16 in
        bind(descriptor, generic, length)
        listen(descriptor, 8)
        getsockname(descriptor, generic, &length)
        return pointer.pointee.sin_port.bigEndian
      }
    }
    self.port = port
    let listener = ListeningSocket(descriptor)
    self.listener = listener
    signal(SIGPIPE, SIG_IGN)
    let serve: @Sendable (Int32) -> Void = { [weak self] connection in
      let resets = self?.serve(connection) { script($0, port) } ?? false
      if resets {
        var zeroLinger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          connection, SOL_SOCKET, SO_LINGER, &zeroLinger, socklen_t(MemoryLayout<linger>.size))
      }
      close(connection)
    }
    Thread.detachNewThread {
      listener.acceptAll { connection in Thread.detachNewThread { serve(connection) } }
    }
  }

  /// Stops the server and checks the requests; later connections are refused.
  func stop(sourceLocation: SourceLocation = #_sourceLocation) {
    listener.stop()
    let all = requests
    let previouslyChecked = checkedCount.withLock { count in
      defer { count = all.count }
      return count
    }
    for request in all.dropFirst(previouslyChecked) {
      expectCoarse(request, decimals: gridDecimals, sourceLocation: sourceLocation)
    }
  }

  deinit { stop() }

  /// Waits for the pause, and returns whether the client closes the connection in this time.
  private func clientCloses(_ connection: Int32, withinMicroseconds pause: UInt32) -> Bool {
    guard pause > 0 else { return false }
    var client = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    return poll(&client, 1, Int32(pause / 1000)) != 0
  }

  /// Replies to one request, and returns whether the connection must be reset.
  private func serve(_ connection: Int32, _ makeScript: (_ head: String) -> Script) -> Bool {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      head += buffer.prefix(count)
    }
    let text = String(decoding: head, as: UTF8.self)
    heads.record(text)
    let script = makeScript(text)
    for (index, piece) in script.pieces.enumerated() {
      let times = index == script.pieces.count - 1 ? script.repeatsLast + 1 : 1
      for _ in 0..<times {
        guard send(connection, piece, piece.count, 0) == piece.count else { return false }
        if clientCloses(connection, withinMicroseconds: script.pauseMicroseconds) { return false }
      }
    }
    return script.resets
  }
}

/// Checks that no number in a request, which may be a coordinate, has more decimals than the grid.
private func expectCoarse(_ request: String, decimals: Int, sourceLocation: SourceLocation) {
  func isFiner(_ text: String, than decimals: Int) -> Bool {
    text.matches(of: #/\.(\d+)/#).contains { $0.output.1.count > decimals }
  }
  // Allow two decimals in headers, which contain version numbers and addresses.
  let isFinerThanGrid =
    isFiner(LoopbackServer.target(request), than: decimals)
    || isFiner(request, than: max(decimals, 2))
  #expect(!isFinerThanGrid, "finer than the grid: \(request)", sourceLocation: sourceLocation)
}

extension LoopbackServer {
  /// Returns the path and the query of a request.
  static func target(_ head: String) -> String {
    String(head.split(separator: " ", maxSplits: 2).dropFirst().first ?? "")
  }
}

extension LoopbackServer.Script {
  /// Returns a complete response.
  static func answer(
    status: String = "200 OK", headers: [String] = [], _ body: String
  ) -> LoopbackServer.Script {
    answer(status: status, headers: headers, bytes: Array(body.utf8))
  }

  static func answer(
    status: String = "200 OK", headers: [String] = [], bytes: [UInt8], contentLength: Int? = nil
  ) -> LoopbackServer.Script {
    let length = contentLength ?? bytes.count
    let lines =
      ["HTTP/1.1 \(status)", "Content-Length: \(length)", "Connection: close"] + headers
    return LoopbackServer.Script(
      pieces: [Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), bytes])
  }
}
