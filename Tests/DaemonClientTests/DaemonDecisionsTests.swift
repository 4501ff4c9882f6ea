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
    let first = decisions.beginRequest(.always, isStreaming: false)
    let sent = try #require(first)
    let (answer, actions) = decisions.handle(.success(Self.allowed), of: sent, longestWait: .zero)
    #expect(answer == .decided(Self.allowed.authorization))
    #expect(actions.isEmpty)

    // The connection of the request is closed, so the daemon has forgotten the request.
    let begun = decisions.handle(Self.undecided, isFirst: true)
    #expect(begun == [.signal(.connected), .sendRequest(.always, after: nil)])
    let repeated = decisions.beginRequest(.always, isStreaming: true)
    #expect(repeated?.isImmediate == true)
    let granted = decisions.handle(Self.allowed, isFirst: false)
    #expect(granted == [.notify([]), .signal(.fullAccuracy)])
  }
}
