// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Secrets")
struct SecretTests {
  private static let table = Track.table([
    "file": .string("a"), "password": .string("hunter2"),
  ])

  @Test func `descriptions and dumps never contain a secret`() {
    let secret = Secret("hunter2")
    #expect("\(secret)" == "(secret)")
    #expect(!Self.allTexts(secret).contains("hunter2"))
    #expect(secret.exposed == "hunter2")
  }

  @Test func `the description and the dump of a table contain no values`() {
    for text in [
      Self.allTexts(Self.table), Self.allTexts(SettingValue.string("hunter2")),
      Self.allTexts(SettingValue.list([.string("hunter2")])),
    ] { #expect(!text.contains("hunter2")) }
  }

  @Test func `a declaration formats a value as TOML, and masks a secret`() {
    #expect(Track.password.declaration.text(of: .string("hunter2")) == "(secret)")
    #expect(Track.file.declaration.text(of: .string("a\"b\\\u{7}\n")) == #""a\"b\\\u0007\n""#)
    #expect(Track.fields.declaration.text(of: .list([.string("speed")])) == #"["speed"]"#)
    #expect(Track.interval.declaration.text(of: .number(1.5)) == "1.5")
  }

  @Test func `no kind of error contains a secret`() {
    let declarations = [
      SettingKind.text, .path, .flag, .count(0...1), .number(0...1), .seconds(0...1),
      .choice(["x"]), .list(of: .choice(["x"])), .list(of: .count(0...1)), .table([]),
    ].map {
      SettingDeclaration(
        name: "password", kind: $0, summary: "x", defaultValue: nil, isRequired: false,
        isSecret: true, example: nil)
    }
    let values: [SettingValue] = [
      .string("hunter2"), .integer(73_313), .number(73_313.5), .list([.string("hunter2")]),
      .list([.integer(73_313)]),
    ]
    for declaration in declarations {
      for value in values {
        let table = Track.table(["password": value])
        let text = table.errors(declared: [declaration]).map(Self.allTexts).joined()
        #expect(!text.contains("hunter2") && !text.contains("73313"), "\(declaration.kind)")
      }
    }
  }

  /// Returns all textual representations of a value.
  private static func allTexts(_ value: some Any) -> String {
    var text = "\(value) " + String(reflecting: value)
    dump(value, to: &text)
    return text
  }
}
