// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning
import Testing

/// The error of a lost source.
@Suite struct SourceEventTests {
  @Test func `the error message of a lost source does not repeat the device name`() throws {
    let port = "/dev/ttyACM7"
    let detail = "\(port): open: No such file or directory (errno 2)."
    for receiver in [port, nil] {
      let loss = SourceLoss(.unreachable, receiver: receiver, detail: detail)
      let error = try #require(SourceEvent.lost(loss, source: port).error)
      #expect(error.source == port)
      #expect(
        error.message == "cannot be reached: open: No such file or directory (errno 2).")
    }
  }

  @Test func `the error message of a lost source keeps names of other devices`() throws {
    let loss = SourceLoss(.unreachable, detail: "/dev/a: open: no; /dev/b: open: no")
    let error = try #require(SourceEvent.lost(loss, source: "/dev/a, /dev/b").error)
    #expect(error.message == "cannot be reached: /dev/a: open: no; /dev/b: open: no")
    let other = SourceLoss(.silent, receiver: "/dev/a", detail: "/dev/ab: no")
    #expect(SourceEvent.lost(other, source: "auto").error?.message.hasSuffix("/dev/ab: no") == true)
  }
}
