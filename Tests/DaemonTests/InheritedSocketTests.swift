// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Sockets of the service manager") struct InheritedSocketTests {
  private func descriptor(_ environment: [String: String]) -> Int32? {
    InheritedSocket.descriptor(named: "web", environment: { environment[$0] }, processID: 7)
  }

  @Test func `the descriptor is found by its name`() {
    var environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "other:web"]
    #expect(descriptor(environment) == 4)
    environment["LISTEN_FDNAMES"] = "web"
    #expect(descriptor(environment) == 3)
  }

  @Test(arguments: [
    ["LISTEN_PID": "8"], ["LISTEN_PID": ""], ["LISTEN_FDS": "0"], ["LISTEN_FDS": "-1"],
    ["LISTEN_FDS": "x"], ["LISTEN_FDS": "65"], ["LISTEN_FDNAMES": ""],
    ["LISTEN_FDNAMES": "webs"], ["LISTEN_FDNAMES": "other:web"],
  ])
  func `sockets of another process, and invalid variables, are ignored`(change: [String: String]) {
    let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"]
    #expect(descriptor(environment) == 3)
    #expect(descriptor(environment.merging(change) { $1 }) == nil)
  }
}
