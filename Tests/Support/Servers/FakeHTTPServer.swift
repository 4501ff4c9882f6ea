// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// An HTTP server in a network namespace that sends the same reply to every request.
package final class FakeHTTPServer: Sendable {
  /// The request lines so far.
  package let requests = EventRecorder<String>()
  /// One event, recorded when the server has stopped.
  package let end = EventRecorder<Void>()
  private let listener: ListeningSocket

  /// Starts a server on all addresses.
  ///
  /// - Parameters:
  ///   - namespace: The namespace.
  ///   - port: The port.
  ///   - status: The status code and reason.
  ///   - headers: Additional headers.
  ///   - body: The body of the reply.
  /// - Throws: ``Loopback/SocketError`` if the socket cannot be opened.
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
    // A separate queue gets a thread at once; all pool threads may be blocked.
    DispatchQueue(label: "HTTP server").async { [requests, end] in
      listener.acceptAll { connection in
        Self.serve(connection, answer, requests)
        close(connection)
      }
      end.record(())
    }
  }

  /// Stops the server, so that later connections are refused; further calls have no effect.
  package func stop() { listener.stop() }

  /// Opens a listening socket; returns a negative errno on failure.
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

  private static func serve(_ connection: Int32, _ answer: [UInt8], _ requests: EventRecorder<String>) {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      head += buffer.prefix(count)
    }
    requests.record(String(decoding: head.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
    _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
  }
}
