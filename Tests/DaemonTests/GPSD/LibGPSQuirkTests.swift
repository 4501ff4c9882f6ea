// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The lines that libgps 3.22 does not parse as JSON requires, and that the gpsd server avoids.
///
/// A failure shows that another version of libgps behaves in another way.
@Suite struct LibGPSQuirkTests {
  struct Quirk: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var line: String
    /// Whether libgps reads the position.
    var hasPosition: Bool

    init(_ name: String, _ line: String, _ hasPosition: Bool) {
      testDescription = name
      self.line = line
      self.hasPosition = hasPosition
    }
  }

  private static let head = #""device":"/dev/x","mode":3,"time":"2026-11-21T12:00:00.000Z""#
  private static let tail =
    #""lat":48.1,"lon":11.5,"altHAE":592.3,"altMSL":545.4,"track":84.4,"speed":0.3"#

  private static func tpv(before: String = "", after: String = "") -> String {
    #"{"class":"TPV",\#(head),\#(before)\#(tail)\#(after)}"# + "\r\n"
  }

  static let quirks = [
    Quirk("plain", tpv(), true),
    Quirk("class not first", #"{\#(head),"class":"TPV",\#(tail)}"# + "\r\n", true),
    Quirk("space after a colon", #"{"class": "TPV",\#(head),\#(tail)}"# + "\r\n", false),
    Quirk("unknown number before lat", tpv(before: #""age":0.3,"sats":5,"#), true),
    Quirk("unknown string before lat", tpv(before: #""place":"Kiel, DE","#), true),
    Quirk("unknown Boolean before lat", tpv(before: #""simulated":true,"#), true),
    Quirk("unknown object before lat", tpv(before: #""place":{"name":"Kiel"},"#), false),
    Quirk("unknown object at the end", tpv(after: #","place":{"name":"Kiel"}"#), true),
    Quirk("unknown array before lat", tpv(before: #""x":[1,2],"#), false),
    Quirk("unknown array at the end", tpv(after: #","x":[1,2]"#), true),
    Quirk("null at the end", tpv(after: #","climb":null"#), true),
    Quirk(
      "string of 600 bytes before lat",
      tpv(before: #""note":"\#(String(repeating: "a", count: 600))","#), false),
    Quirk(
      "name of 32 characters before lat",
      tpv(before: #""\#(String(repeating: "n", count: 32))":1,"#), false),
    Quirk("UTF-8 before lat", tpv(before: #""place":"Kärnten","#), true),
    Quirk("LF without CR", tpv().replacing("\r\n", with: "\n"), true),
    Quirk("no coordinates", #"{"class":"TPV",\#(head),"altHAE":592.3}"# + "\r\n", false),
  ]

  @Test(
    .enabled(if: LibGPSVersion.compiled.release == "3.22", "needs libgps 3.22"), arguments: quirks)
  func `libgps reads a position from a line as documented`(quirk: Quirk) throws {
    let positions = try LibGPSClientTests.parse(Array(quirk.line.utf8)).map { report in
      guard case .position(_, let position) = report else { return false }
      return position.coordinate?.latitudeDegrees == 48.1
    }
    #expect(positions == [quirk.hasPosition])
  }
}
