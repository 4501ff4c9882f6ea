// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

@testable import LocationServices

/// The configurations, rules, objects and scripts in README and the articles are valid.
@Suite(.timeLimit(.minutes(2)))
struct DocumentedTextTests {
  /// The folder of credentials in the articles; the tests replace it with a folder that contains them.
  private static let credentials = "/run/credentials/fixcast.service"

  private static func blocks(of language: String) -> [(place: String, text: String)] {
    Document.all.flatMap { document in
      document.blocks(of: language).map { ("\(document.path):\($0.line)", $0.text) }
    }
  }

  @Test func `check-config accepts each configuration in the documents`() async throws {
    let blocks = Self.blocks(of: "toml")
    #expect(blocks.count >= 10)
    let folder = try ScratchFolder()
    for name in ["weather.key", "web.key"] {
      try folder.write(name, "a key\n")
      chmod(folder.path + "/" + name, 0o600)
    }
    for (place, text) in blocks {
      let text = text.replacing(Self.credentials, with: folder.path)
      try folder.write("config.toml", text)
      let (lines, code) = try await Program.run("check-config", folder.path + "/config.toml")
      #expect(code == 0, "\(place): \(lines)")
    }
  }

  @Test func `check-config accepts each configuration in a here-document`() async throws {
    let texts = Self.blocks(of: "console").flatMap { place, text in
      text.matches(of: #/<<'END'\n(?<text>(?s:.)*?)\nEND\n/#).map { (place, String($0.text)) }
    }
    #expect(texts.count >= 2)
    let folder = try ScratchFolder()
    for (place, text) in texts {
      try folder.write("config.toml", text)
      let (lines, code) = try await Program.run("check-config", folder.path + "/config.toml")
      #expect(code == 0, "\(place): \(lines)")
    }
  }

  @Test func `the policy parser accepts each authorization rule in the documents`() {
    let parser = PolicyParser(allowsLocks: true, userID: { _ in 1000 })
    let blocks = Self.blocks(of: "conf")
    #expect(!blocks.isEmpty)
    for (place, text) in blocks {
      let (rules, problems) = parser.parse(Array(text.utf8), file: place)
      #expect(problems.isEmpty, "\(problems)")
      #expect(rules.count == text.split(separator: "\n").count, "\(place)")
    }
  }

  @Test func `each unit drop-in in the documents has a Service section with keys and values`() {
    for (place, text) in Self.blocks(of: "ini") {
      let lines = text.split(separator: "\n")
      #expect(lines.first == "[Service]", "\(place)")
      for line in lines.dropFirst() {
        #expect(line.contains(#/^[A-Z][A-Za-z]+=.+$/#), "\(place): \(line)")
      }
    }
  }

  @Test func `each JSON object in the documents has a known class`() throws {
    let classes: Set = [
      "TPV", "SKY", "ATT", "WEATHER", "AUTH", "DEVICE", "PATH", "GATE", "ERROR", "STATUS",
      "REQUESTS",
      "MESSAGE",
    ]
    let blocks = Self.blocks(of: "json")
    #expect(blocks.count >= 4)
    for (place, text) in blocks {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(place)")
      // The batches of a fleet have no class; FleetPythonDecoderTests decodes them.
      if place.hasPrefix("Sources/fixcast/fixcast.docc/FleetWireFormat.md") { continue }
      let name = try #require(object["class"] as? String, "\(place)")
      #expect(classes.contains(name), "\(place)")
    }
  }

  @Test func `sh and Python can parse each script and JSON object in the documents`() async throws {
    let folder = try ScratchFolder()
    let check = "import ast, sys; ast.parse(open(sys.argv[1]).read())"
    // Foundation's JSON parser accepts trailing commas; Python's does not.
    let load = "import json, sys; json.load(open(sys.argv[1]))"
    for (language, command) in [
      ("sh", ["sh", "-n"]), ("python", ["python3", "-c", check]),
      ("json", ["python3", "-c", load]),
    ] {
      for (place, text) in Self.blocks(of: language) {
        try folder.write("script", text)
        let (lines, code) = try await ChildProcess.run(
          path: "/usr/bin/env", arguments: command + [folder.path + "/script"])
        #expect(code == 0, "\(place): \(lines)")
      }
    }
  }
}
