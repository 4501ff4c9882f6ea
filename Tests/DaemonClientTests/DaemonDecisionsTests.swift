// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import Testing

@testable import DaemonClient
@testable import DaemonProtocol

@Suite("Decisions of the daemon, as reported to the program")
struct DaemonDecisionsTests {
  private static let undecided = DaemonAuthorization(Authorization(.notDetermined))
  private static let allowed = DaemonAuthorization(Authorization(.authorizedAlways))

  @Test func `a grant before the first stream is not followed by a report of not determined`() throws {
    var decisions = DaemonDecisions(Self.undecided)
    decisions.request(.always, purpose: "to draw a map")
    #expect(decisions.beginRequest(.always) == "to draw a map")
    let (answer, actions) = decisions.handle(
      .success(Self.allowed), of: .always, isStreaming: false, longestWait: .zero)
    #expect(answer == .decided(Self.allowed.authorization))
    #expect(actions.isEmpty)

    // The connection of the request is closed, so the daemon has forgotten the request.
    let begun = decisions.handle(Self.undecided, isFirst: true)
    #expect(begun == [.signal(.connected), .sendRequest(.always, after: nil)])
    #expect(decisions.beginRequest(.always) == "to draw a map")
    let granted = decisions.handle(Self.allowed, isFirst: false)
    #expect(granted == [.notify([]), .signal(.fullAccuracy)])
  }

  /// Decisions of a connected session, whose request waits for an operator.
  private static func waiting(
    for request: AuthorizationRequest, with status: AuthorizationStatus = .notDetermined
  ) -> DaemonDecisions {
    var decisions = DaemonDecisions(DaemonAuthorization(Authorization(status)))
    _ = decisions.handle(DaemonAuthorization(Authorization(status)), isFirst: true)
    decisions.request(request, purpose: "to draw a map")
    _ = decisions.beginRequest(request)
    let pending = DaemonAuthorization(Authorization(status), isPending: true)
    _ = decisions.handle(pending, isFirst: false)
    let (answer, actions) = decisions.handle(
      .success(pending), of: request, isStreaming: true, longestWait: .zero)
    #expect(answer == .pending && actions.isEmpty)
    return decisions
  }

  @Test func `the end of a wait for an operator is reported from the stream`() {
    var undecided = Self.waiting(for: .whenInUse)
    #expect(undecided.handle(Self.undecided, isFirst: false) == [.notify([.lapsed(.whenInUse)])])
    #expect(undecided.beginRequest(.whenInUse) == nil)
    var refused = Self.waiting(for: .always, with: .authorizedWhenInUse)
    let inUse = DaemonAuthorization(Authorization(.authorizedWhenInUse))
    #expect(
      refused.handle(inUse, isFirst: false) == [.notify([.refused(.always)]), .signal(.fullAccuracy)])
    var granted = Self.waiting(for: .always)
    #expect(
      granted.handle(Self.allowed, isFirst: false) == [
        .notify([.decided(Self.allowed.authorization)]), .signal(.fullAccuracy),
      ])
  }

  @Test func `a request that waits is repeated after a reconnect, and its wait does not end with the connection`() {
    var decisions = Self.waiting(for: .whenInUse)
    #expect(
      decisions.handle(Self.undecided, isFirst: true) == [
        .signal(.connected), .sendRequest(.whenInUse, after: nil),
        .notify([Self.undecided.decision]),
      ])
    #expect(decisions.beginRequest(.whenInUse) == "to draw a map")
  }
}
