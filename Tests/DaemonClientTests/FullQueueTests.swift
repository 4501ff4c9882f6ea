// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Dispatch
import FixcastTesting
import Glibc
import NIOCore
import Positioning
import Testing

@testable import DaemonClient

/// A listening socket whose queue is full.
private final class FullQueue {
  let folder: ScratchFolder
  let listening: Int32
  /// Connections that fill the queue.
  let waiting: [Int32]
  var client: DaemonClient {
    DaemonClient(address: DaemonAddress(socketPath: folder.path + "/s"), now: { .at(0) })
  }

  init() throws {
    folder = try ScratchFolder()
    let path = folder.path + "/s"
    func makeSocket(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32? {
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let descriptor = socket(AF_UNIX, kind, 0)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let code = withUnsafePointer(to: name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, size) }
      }
      if code == 0 { return descriptor }
      close(descriptor)
      return nil
    }
    listening = try #require(makeSocket(bind))
    try #require(listen(listening, 1) == 0)
    var waiting: [Int32] = []
    while let descriptor = makeSocket(connect) { waiting.append(descriptor) }
    try #require(errno == EAGAIN)
    self.waiting = waiting
  }

  /// Accepts the connections that fill the queue.
  ///
  /// Then responds to each request until the listening socket is shut down.
  static func serve(_ listening: Int32, waitingCount: Int) {
    _ = fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) & ~O_NONBLOCK)
    for _ in 0..<waitingCount { _ = accept(listening, nil, nil) }
    let body = FullQueueTests.fault.json
    let answer = Array("HTTP/1.1 503 x\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    while case let descriptor = accept(listening, nil, nil), descriptor >= 0 {
      // Read the request first: a client that gets a response before it has sent its request
      // reports a lost connection.
      var request = [UInt8](repeating: 0, count: 4096)
      _ = recv(descriptor, &request, request.count, 0)
      _ = send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL))
      shutdown(descriptor, Int32(SHUT_WR))
    }
  }

  deinit { for descriptor in waiting + [listening] { close(descriptor) } }
}

@Suite("Daemon with a full connection queue", .timeLimit(.minutes(5)))
struct FullQueueTests {
  fileprivate static let fault = DaemonFault(status: 503, error: "busy", message: "served at last")

  @Test(
    arguments: [
      ([.refused(.busy), .silent], .refused(.busy)), ([.silent], .silent),
      ([.refused(.busy), .disconnected("x")], .disconnected("x")),
    ] as [([DaemonClientError], DaemonClientError)])
  func `a deadline that passes after a full queue is reported as a full queue`(
    errors: [DaemonClientError], expected: DaemonClientError
  ) async {
    var rest = errors
    var thrown: DaemonClientError?
    do throws(DaemonClientError) {
      try await DaemonClient.retrying(until: .distantFuture) { () throws(DaemonClientError) in
        throw rest.removeFirst()
      }
    } catch { thrown = error }
    #expect(thrown == expected)
    #expect(rest.isEmpty)
  }

  @Test func `requests wait for room in the connection queue until their timeout`() async throws {
    let queue = try FullQueue()
    let (client, listening) = (queue.client, queue.listening)
    #expect(throws: DaemonClientError.refused(.busy)) { try client.statusNow(milliseconds: 20) }
    var refusal = DaemonClientError.silent
    // On a busy machine, a request may reach its deadline before it has tried to connect.
    while refusal == .silent {
      do throws(DaemonClientError) { _ = try await client.status(timeoutSeconds: 1) } catch {
        refusal = error
      }
    }
    #expect(refusal == .refused(.busy))
    let probed = EventRecorder<DaemonClientError?>()
    let requested = EventRecorder<DaemonClientError?>()
    let begun = DispatchSemaphore(value: 0)
    DispatchQueue(label: "client").async {
      begun.signal()
      do throws(DaemonClientError) { _ = try client.statusNow(milliseconds: 30_000) } catch {
        probed.record(error)
      }
    }
    let request = Task {
      do throws(DaemonClientError) { _ = try await client.status(timeoutSeconds: 30) } catch {
        requested.record(error)
      }
    }
    begun.wait()
    let waitingCount = queue.waiting.count
    DispatchQueue(label: "server").async {
      FullQueue.serve(listening, waitingCount: waitingCount)
    }
    #expect(await probed.wait(for: 1) == [.refused(Self.fault)])
    #expect(await requested.wait(for: 1) == [.refused(Self.fault)])
    await request.value
    shutdown(listening, Int32(SHUT_RDWR))
    withExtendedLifetime(queue) {}
  }
}
