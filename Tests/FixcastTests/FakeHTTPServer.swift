// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Synchronization
import Testing

/// An HTTP server that fails the test if a request has a coordinate with more than two decimals.
///
/// Replaces `FixcastTesting.FakeHTTPServer` in all tests of the program.
final class FakeHTTPServer: Sendable {
  private let server: FixcastTesting.FakeHTTPServer
  private let checkedCount = Mutex(0)

  /// The request lines so far.
  var requests: EventRecorder<String> { server.requests }
  /// Records one event when the server has stopped.
  var end: EventRecorder<Void> { server.end }

  init(
    in namespace: NetworkNamespace, port: UInt16 = 80, status: String = "200 OK",
    headers: [String] = [], body: String = ""
  ) throws {
    server = try FixcastTesting.FakeHTTPServer(in: namespace, port: port, status: status, headers: headers, body: body)
  }

  /// Stops the server; later connections are refused.
  func stop(sourceLocation: SourceLocation = #_sourceLocation) {
    server.stop()
    let all = requests.events
    let seen = checkedCount.withLock { count in
      defer { count = all.count }
      return count
    }
    for request in all.dropFirst(seen) {
      #expect(!request.contains(#/\.\d{3}/#), "more than two decimals", sourceLocation: sourceLocation)
    }
  }

  deinit { stop() }
}
