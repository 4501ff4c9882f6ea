// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import DaemonProtocol

@Suite("Metrics in the text format of Prometheus") struct PrometheusTextTests {
  @Test func `each metric has its help and type before its samples, and numbers have no needless zeros`() {
    var text = PrometheusText()
    text.add("a_total", .counter, 3, help: "First.")
    text.add(
      "b", .gauge, [.init(0.5, ("x", "1"), ("y", "2")), .init(UInt64(7), ("x", "2"))],
      help: "Second.")
    #expect(
      text.text == """
        # HELP a_total First.
        # TYPE a_total counter
        a_total 3
        # HELP b Second.
        # TYPE b gauge
        b{x="1",y="2"} 0.5
        b{x="2"} 7

        """)
  }

  @Test func `a label cannot end its quotes or its line`() {
    var text = PrometheusText()
    text.add("a", .gauge, [.init(1, ("x", "\\ \" \n\r é"))], help: "Help.")
    text.addComment("two\nlines")
    #expect(
      text.text.hasSuffix("a{x=\"\\\\ \\\" \\n  é\"} 1\n# Note: two\\nlines\n"), "\(text.text)")
    // A carriage return and a newline are one character of a Swift string.
    var other = PrometheusText()
    other.add("a", .gauge, [.init(1, ("x", "\r\n"))], help: "Help.")
    #expect(other.text.hasSuffix("a{x=\" \\n\"} 1\n"), "\(other.text)")
  }

  @Test func `unknown values and repeated labels are left out, and so is a metric without values`() {
    var text = PrometheusText()
    text.add("a", .gauge, nil, help: "Help.")
    text.add("b", .gauge, [], help: "Help.")
    text.add("c", .gauge, [.init(.nan), .init(.infinity), .init(nil)], help: "Help.")
    #expect(text.text.isEmpty)
    text.add("d", .gauge, [.init(1, ("x", "1")), .init(2, ("x", "1"))], help: "Help.")
    #expect(text.text.hasSuffix("gauge\nd{x=\"1\"} 1\n"))
  }

  @Test func `a time is in seconds since 1970 with its fraction`() {
    let time = UTCTime(secondsSince1970: 1_795_262_400, nanosecond: 250_000_000)
    #expect(PrometheusText.seconds(time) == 1_795_262_400.25)
    #expect(PrometheusText.seconds(nil) == nil)
  }
}
