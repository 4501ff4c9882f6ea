// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("TOML")
struct TOMLTests {
  @Test("every sort of value, in the order and with the lines of the file")
  func values() throws {
    let table = try SettingsTable(
      toml: Array(
        """
        # A comment with a "quote and a [bracket
        text = "a \\"b\\" \\u00e9"   # after a value
        path = 'C:\\no\\escape'
        whole = 1_000
        part = 0.5
        flag = true
        limit = inf

        [weather]
        enabled = false
        list = [
          1,   # one
          "two",
        ]

        [weather.openmeteo]
        key_file = "x"

        [[sink]]
        type = "gpx"
        [[sink]]
        type = "log"
          [sink.rotation]
          limit_bytes = 3
        """.utf8), file: "c.toml")
    #expect(
      table.entries.map(\.name) == [
        "text", "path", "whole", "part", "flag", "limit", "weather", "sink",
      ])
    #expect(table["text"]?.value == .string("a \"b\" é"))
    #expect(table["path"]?.value == .string("C:\\no\\escape"))
    #expect(table["whole"]?.value == .integer(1000))
    #expect(table["part"]?.value == .number(0.5))
    #expect(table["flag"]?.value == .boolean(true))
    #expect(table["limit"]?.value == .number(.infinity))
    let weather = try table.table("weather")
    #expect(weather.origin == SettingOrigin(file: "c.toml", line: 9))
    #expect(weather["list"]?.value == .list([.integer(1), .string("two")]))
    #expect(weather["list"]?.origin?.line == 11)
    #expect(try weather.table("openmeteo").keyPath == "weather.openmeteo")
    #expect(try weather.table("openmeteo")["key_file"]?.origin?.line == 17)
    guard case .list(let sinks)? = table["sink"]?.value, case .table(let last)? = sinks.last else {
      Issue.record("no sinks")
      return
    }
    #expect(sinks.count == 2)
    #expect(last.keyPath == "sink[2]")
    #expect(last.origin?.line == 21)
    #expect(last["type"]?.origin?.line == 22)
    #expect(try last.table("rotation")["limit_bytes"]?.origin?.line == 24)
  }

  @Test("nothing at all is an empty table", arguments: ["", "\n\n", "# nothing", "\u{FEFF}"])
  func nothing(text: String) throws {
    #expect(try SettingsTable(toml: Array(text.utf8), file: "c.toml").isEmpty)
  }

  @Test(
    "says where it is not TOML, and what to do",
    arguments: [
      ("a = 1\nb 2\n", "c.toml:2:3: a key is followed by = and its value"),
      ("[daemon]\nlog_level = debug\n", "c.toml:2:13: not a value; text needs quotes around it"),
      ("a = True\n", "c.toml:1:5: not a value; write true or false, in small letters"),
      ("a = off # x\n", "c.toml:1:5: not a value; write true or false, in small letters"),
      ("a = “b”\n", "c.toml:1:5: typographic quotes; write \" on both sides"),
      ("a = ‘b’\n", "c.toml:1:5: typographic quotes; write \" on both sides"),
      (
        "[a]\rb = 1\r",
        "c.toml:1:4: a line ends with LF or CR LF, and not with CR alone; save the file with those"
      ),
      ("name = 1\n name = 2\n", "c.toml:2: name is there already, on line 1; leave one out"),
      ("[sink]\n[ sink ] # x\n", "c.toml:2: sink is there already, on line 1; leave one out"),
      ("a.b = 1\n[a]\n", "c.toml:2: a is there already, on line 1; leave one out"),
      ("a = {}\n[a.b]\n", "c.toml:2: a is there already, on line 1; leave one out"),
      ("a = []\n[[a]]\n", "c.toml:2: a is there already, on line 1; leave one out"),
      ("[a.b]\n[a]\nb.c = 1\n", "c.toml:3: b is there already, on line 1; leave one out"),
      ("a = \"é", "c.toml:1:7: the text does not end; the quote after it is missing"),
      ("\na = '''b\nc", "c.toml:2: the text does not end; three quotes are missing"),
      ("a = 12z45\n", "c.toml:1:5: not a number; text needs quotes around it"),
      ("a = 99999999999999999999\n", "c.toml:1:5: not a number; text needs quotes around it"),
      ("a = 012\n", "c.toml:1:5: not a number; text needs quotes around it"),
      ("a =\n", "c.toml:1:4: a value is missing"),
      ("a = 1 b = 2", "c.toml:1:7: the line has to end here, or a comment has to begin with #"),
      (
        "a = 1\n\nb = \"x\ty\u{1}\"",
        "c.toml:3:9: a control character in a text; write it as \\u00.."
      ),
      (
        "a = \"C:\\no\\way\"",
        "c.toml:1:11: a backslash has to be written twice, or the text put in '...'"
      ),
      ("a = \"\\u0000\"", "c.toml:1:6: a NUL in a text"),
      ("\"a\\u0000b\" = 1", "c.toml:1:3: a NUL in a text"),
      (
        "a = \"\\ud800\"", "c.toml:1:6: \\u takes four and \\U eight digits of a character's number"
      ),
      ("a = 1\nb = \"\u{0}\"", "c.toml:2: a NUL byte; a configuration is text"),
      (
        "[ = 1]\n",
        "c.toml:1:3: a name has to be here: letters, digits, _ and -, or anything in quotes"
      ),
      ("[a\n", "c.toml:1:3: the header has to end with ]"),
      ("[[a]\n", "c.toml:1:4: the header has to end with ]]"),
      ("a = [1, }, 2]\n", "c.toml:1:9: a value is missing"),
      ("a = [1 2]\n", "c.toml:1:8: a list goes on with , or ends with ]"),
      ("a = [1,\n", "c.toml:2:1: the list does not end; ] is missing"),
      (
        "a = { b = 1\n}",
        "c.toml:1:12: a table in braces goes on with , or ends with } on the same line"
      ),
      ("a = 1\nb = [\n 1979-05-27 ]", "c.toml:3:2: no key takes a date or a time"),
      ("a = 07:32:00", "c.toml:1:5: no key takes a date or a time"),
    ])
  func faults(text: String, message: String) {
    #expect(Self.fault(Array(text.utf8)) == message)
  }

  @Test("bytes that are no UTF-8 are told with their line")
  func encoding() {
    #expect(
      Self.fault(Array("a = 1\nb = \"".utf8) + [0xE9, 0x22])
        == "c.toml:2:6: not UTF-8; save the file as UTF-8")
    #expect(
      Self.fault(Array("a = \"é".utf8) + [0xE9]) == "c.toml:1:7: not UTF-8; save the file as UTF-8")
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] {
      #expect(Self.fault(bytes) == "c.toml:1: UTF-16; save the file as UTF-8")
    }
  }

  @Test("what is too large or too deep is refused before it is parsed")
  func bounds() {
    let long = Array(repeating: UInt8(ascii: "#"), count: SettingsTable.longestTOML + 1)
    #expect(Self.fault(long) == "c.toml: larger than 1048576 bytes, and so no configuration")
    for text in [
      "[" + Array(repeating: "a", count: 400_000).joined(separator: ".") + "]",
      Array(repeating: "a", count: 400_000).joined(separator: ".") + " = 1",
      "a = " + String(repeating: "[", count: 400_000),
      "a = " + String(repeating: "{a=", count: 200_000),
      "a = {" + Array(repeating: "a", count: 400_000).joined(separator: ".") + " = 1}",
    ] { #expect(Self.fault(Array(text.utf8))?.hasSuffix(": nested more than 32 deep") == true) }
    let deepest = "[" + Array(repeating: "a", count: 31).joined(separator: ".") + "]\na = 1"
    #expect(Self.fault(Array(deepest.utf8)) == nil)
  }

  @Test("no message tells a value that may be a secret")
  func secrets() {
    for value in [
      "zebra5", "\"zebra5", "\"zebra5\" x", "7zebra5", "'zebra5", "truezebra5", "zebra5\"",
      "0xzebra5", "+zebra5", "\"\"\"zebra5", "[zebra5", "{zebra5", "nanzebra5", "infzebra5",
      "1979-zebra5", "12:zebra5", "\\zebra5", "\"\\xzebra5\"", "\"a\"\nkey = zebra5",
      "\"zebra5\"\nkey = \"zebra5\"", "73313e73313e1", "733137331373313733137331373313",
    ] {
      let message = Self.fault(Array("key = \(value)\n".utf8)) ?? ""
      #expect(!message.isEmpty, "\(value)")
      #expect(!message.contains("ebra") && !message.contains("7331"), "\(message)")
      #expect(!message.contains("\n"))
    }
  }

  private static func fault(_ bytes: [UInt8]) -> String? {
    do throws(SettingsError) {
      _ = try SettingsTable(toml: bytes, file: "c.toml")
      return nil
    } catch { return error.description }
  }
}
