// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("TOML")
struct TOMLTests {
  @Test func `all types of TOML values are read, with their order and their lines`() throws {
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

  @Test(arguments: ["", "\n\n", "# nothing", "\u{FEFF}"])
  func `TOML without keys is an empty table`(text: String) throws {
    #expect(try SettingsTable(toml: Array(text.utf8), file: "c.toml").isEmpty)
  }

  @Test(arguments: [
    ("a = 1\nb 2\n", "c.toml:2:3: expected = and a value after the key"),
    ("[daemon]\nlog_level = debug\n", "c.toml:2:13: not a value; text needs quotes around it"),
    ("a = True\n", "c.toml:1:5: not a value; write true or false in lower case"),
    ("a = off # x\n", "c.toml:1:5: not a value; write true or false in lower case"),
    ("a = “b”\n", "c.toml:1:5: typographic quotes; use \" on both sides"),
    ("a = ‘b’\n", "c.toml:1:5: typographic quotes; use \" on both sides"),
    (
      "[a]\rb = 1\r",
      "c.toml:1:4: the line ends with CR alone; save the file with LF or CR LF line endings"
    ),
    ("name = 1\n name = 2\n", "c.toml:2: name is already defined on line 1; remove one"),
    ("[sink]\n[ sink ] # x\n", "c.toml:2: sink is already defined on line 1; remove one"),
    ("a.b = 1\n[a]\n", "c.toml:2: a is already defined on line 1; remove one"),
    ("a = {}\n[a.b]\n", "c.toml:2: a is already defined on line 1; remove one"),
    ("a = []\n[[a]]\n", "c.toml:2: a is already defined on line 1; remove one"),
    ("[a.b]\n[a]\nb.c = 1\n", "c.toml:3: b is already defined on line 1; remove one"),
    ("a = \"é", "c.toml:1:7: unterminated string; the closing quote is missing"),
    ("\na = '''b\nc", "c.toml:2: unterminated string; three closing quotes are missing"),
    ("a = 12z45\n", "c.toml:1:5: not a number; text needs quotes around it"),
    ("a = 99999999999999999999\n", "c.toml:1:5: not a number; text needs quotes around it"),
    ("a = 012\n", "c.toml:1:5: not a number; text needs quotes around it"),
    ("a =\n", "c.toml:1:4: a value is missing"),
    ("a = 1 b = 2", "c.toml:1:7: expected the end of the line or a comment with #"),
    (
      "a = 1\n\nb = \"x\ty\u{1}\"",
      "c.toml:3:9: control character in a string; escape it as \\u00.."
    ),
    (
      "a = \"C:\\no\\way\"",
      "c.toml:1:11: invalid escape; write \\\\ or put the text in single quotes"
    ),
    ("a = \"\\u0000\"", "c.toml:1:6: NUL character in a string"),
    ("\"a\\u0000b\" = 1", "c.toml:1:3: NUL character in a string"),
    (
      "a = \"\\ud800\"",
      "c.toml:1:6: \\u needs four hexadecimal digits of a valid code point, \\U eight"
    ),
    ("a = 1\nb = \"\u{0}\"", "c.toml:2: NUL byte; a configuration must be text"),
    (
      "[ = 1]\n",
      "c.toml:1:3: expected a key: letters, digits, _ and -, or any text in quotes"
    ),
    ("[a\n", "c.toml:1:3: the header must end with ]"),
    ("[[a]\n", "c.toml:1:4: the header must end with ]]"),
    ("a = [1, }, 2]\n", "c.toml:1:9: a value is missing"),
    ("a = [1 2]\n", "c.toml:1:8: expected , or ] in the list"),
    ("a = [1,\n", "c.toml:2:1: unterminated list; ] is missing"),
    (
      "a = { b = 1\n}",
      "c.toml:1:12: expected , or } on the same line in the inline table"
    ),
    ("a = 1\nb = [\n 1979-05-27 ]", "c.toml:3:2: dates and times are not supported"),
    ("a = 07:32:00", "c.toml:1:5: dates and times are not supported"),
  ])
  func `a TOML syntax error is reported with its position and advice`(text: String, message: String) {
    #expect(Self.fault(Array(text.utf8)) == message)
  }

  @Test func `TOML that is not UTF-8 is reported with the line of the error`() {
    #expect(
      Self.fault(Array("a = 1\nb = \"".utf8) + [0xE9, 0x22])
        == "c.toml:2:6: the file is not UTF-8; save it as UTF-8")
    #expect(
      Self.fault(Array("a = \"é".utf8) + [0xE9])
        == "c.toml:1:7: the file is not UTF-8; save it as UTF-8")
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] {
      #expect(Self.fault(bytes) == "c.toml:1: the file is UTF-16; save it as UTF-8")
    }
  }

  @Test func `TOML that is too large or too deeply nested is rejected`() {
    let long = Array(repeating: UInt8(ascii: "#"), count: SettingsTable.maxTOMLBytes + 1)
    #expect(Self.fault(long) == "c.toml: larger than the limit of 1048576 bytes")
    let key = Array(repeating: "a", count: 400_000).joined(separator: ".")
    for text in [
      "[\(key)]", "\(key) = 1",
      "a = " + String(repeating: "[", count: 400_000),
      "a = " + String(repeating: "{a=", count: 200_000),
      "a = {\(key) = 1}",
    ] {
      let fault = Self.fault(Array(text.utf8))
      #expect(fault?.hasSuffix(": nested more than 32 levels deep") == true)
    }
    let deepest = "[" + Array(repeating: "a", count: 31).joined(separator: ".") + "]\na = 1"
    #expect(Self.fault(Array(deepest.utf8)) == nil)
  }

  @Test func `TOML errors never contain a value, which may be a secret`() {
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
