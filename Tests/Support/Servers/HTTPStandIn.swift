// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// A server in a network namespace that answers every request with one text.
package final class HTTPStandIn: Sendable {
  /// The first lines of the requests so far.
  package let requests = EventRecorder<String>()
  /// One event, once it has ended.
  package let end = EventRecorder<Void>()
  private let listener: ListeningSocket

  /// Begins to listen on every address.
  ///
  /// - Parameters:
  ///   - namespace: Where.
  ///   - port: The port.
  ///   - status: The status line's number and words.
  ///   - headers: More headers, one each.
  ///   - body: What follows them.
  /// - Throws: ``Loopback/SocketError`` where there is no socket to be had.
  package init(
    in namespace: NetworkNamespace, port: UInt16 = 80, status: String = "200 OK",
    headers: [String] = [], body: String = ""
  ) throws(Loopback.SocketError) {
    let descriptor = namespace.inside { Self.listen(port) } ?? -EPERM
    guard descriptor >= 0 else { throw Loopback.SocketError(errorNumber: -descriptor) }
    let listener = ListeningSocket(descriptor)
    self.listener = listener
    let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"]
    let answer = Array(((head + headers).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    // A queue of its own has a thread at once; those of the pool may all be waiting.
    DispatchQueue(label: "HTTP stand-in").async { [requests, end] in
      listener.acceptAll { connection in
        Self.serve(connection, answer, requests)
        close(connection)
      }
      end.record(())
    }
  }

  /// Ends the server, once or more often; who asks afterwards is refused.
  package func stop() { listener.stop() }

  /// A socket that listens, or an errno below zero.
  private static func listen(_ port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -errno }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    let isListening = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
          && Glibc.listen(descriptor, 8) == 0
      }
    }
    if isListening { return descriptor }
    defer { close(descriptor) }
    return -errno
  }

  private static func serve(
    _ connection: Int32, _ answer: [UInt8], _ requests: EventRecorder<String>
  ) {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      head += buffer.prefix(count)
    }
    requests.record(
      String(decoding: head.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
    _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
  }
}
