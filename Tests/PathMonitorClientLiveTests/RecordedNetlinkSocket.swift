// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import PathMonitorClientLive

/// A netlink socket that replies with recorded frames.
final class RecordedNetlinkSocket: NetlinkSocket {
  /// The value is ignored by `poll`, because the socket never receives notifications.
  let descriptor: Int32 = -1

  /// The frames of a reply, each in a separate datagram.
  typealias Reply = [[UInt8]]

  private struct State {
    /// The replies, keyed by request type; the last reply is repeated.
    var replies: [UInt8: [Reply]]
    var pending: [[UInt8]] = []
    var requestTypes: [UInt8] = []
  }

  private let state: Mutex<State>

  /// The types of the received requests: 18 for links, 22 for addresses, 26 for routes.
  var requestTypes: [UInt8] { state.withLock { $0.requestTypes } }

  /// Makes a socket; each reply is followed by a frame that ends the dump.
  init(
    links: [Reply] = [], addresses: [Reply] = [], routes: [Reply] = [], lookup: Reply? = nil
  ) {
    // The requests for all routes and for one route have the same type; the lookup of one route is
    // the last request.
    state = Mutex(
      State(replies: [18: links, 22: addresses, 26: routes + (lookup.map { [$0] } ?? [])]))
  }

  static let done = NetlinkFramesTests.frame(
    """
    14 00 00 00  03 00  02 00  00 00 00 00  00 00 00 00  ; 20 bytes, NLMSG_DONE, multi
    00 00 00 00                                          ; no error
    """)

  func send(_ bytes: [UInt8]) throws(NetlinkError) {
    let sequence = bytes[8..<12]
    state.withLock { state in
      let type = bytes[4]
      state.requestTypes.append(type)
      var replies = state.replies[type] ?? []
      let reply = replies.count > 1 ? replies.removeFirst() : replies.first ?? []
      state.replies[type] = replies
      // The sequence number of the request is copied into the recorded frames.
      state.pending += (reply + [Self.done]).map { frame in
        var frame = frame
        if frame.count >= 12 { frame.replaceSubrange(8..<12, with: sequence) }
        return frame
      }
    }
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    state.withLock { $0.pending.isEmpty ? nil : $0.pending.removeFirst() }
  }
}
