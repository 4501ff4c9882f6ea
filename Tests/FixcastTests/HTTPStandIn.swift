// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Synchronization
import Testing

/// The stand-in of `FixcastTesting`, in whose place every test of the program takes this one: a
/// request with a coordinate finer than the grid fails the test, whatever the test is about.
final class HTTPStandIn: Sendable {
  private let server: FixcastTesting.HTTPStandIn
  private let isChecked = Mutex(0)

  /// The first lines of the requests so far.
  var requests: EventRecorder<String> { server.requests }
  /// One event, once it has ended.
  var end: EventRecorder<Void> { server.end }

  init(
    in namespace: NetworkNamespace, port: UInt16 = 80, status: String = "200 OK",
    headers: [String] = [], body: String = ""
  ) throws {
    server = try FixcastTesting.HTTPStandIn(
      in: namespace, port: port, status: status, headers: headers, body: body)
  }

  /// Ends the server; who asks afterwards is refused.
  func stop(sourceLocation: SourceLocation = #_sourceLocation) {
    server.stop()
    let all = requests.events
    let seen = isChecked.withLock { count in
      defer { count = all.count }
      return count
    }
    for request in all.dropFirst(seen) {
      #expect(
        !request.contains(#/\.\d{3}/#), "finer than the grid", sourceLocation: sourceLocation)
    }
  }

  deinit { stop() }
}
