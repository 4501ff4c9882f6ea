// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import PathMonitorClientLive

/// A netlink socket that answers out of recorded frames.
final class RecordedNetlinkSocket: NetlinkSocket {
  /// `poll` ignores it: nothing is ever told.
  let descriptor: Int32 = -1

  /// The frames that answer one question; each is a datagram of its own.
  typealias Answer = [[UInt8]]

  private struct State {
    /// By the type of the question; the last answer is given again and again.
    var answers: [UInt8: [Answer]]
    var waiting: [[UInt8]] = []
    var questions: [UInt8] = []
  }

  private let state: Mutex<State>

  /// What it was asked, by type: 18 for links, 22 for addresses, 26 for routes.
  var questions: [UInt8] { state.withLock { $0.questions } }

  /// Makes a socket; a dump is ended by a frame of its own unless an answer has one.
  init(
    links: [Answer] = [], addresses: [Answer] = [], routes: [Answer] = [], lookup: Answer? = nil
  ) {
    // The questions for all routes and for one have one type: the one comes last.
    state = Mutex(
      State(answers: [18: links, 22: addresses, 26: routes + (lookup.map { [$0] } ?? [])]))
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
      state.questions.append(type)
      var answers = state.answers[type] ?? []
      let answer = answers.count > 1 ? answers.removeFirst() : answers.first ?? []
      state.answers[type] = answers
      // Recorded frames answer whatever number the question has.
      state.waiting += (answer + [Self.done]).map { frame in
        var frame = frame
        if frame.count >= 12 { frame.replaceSubrange(8..<12, with: sequence) }
        return frame
      }
    }
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }
}
