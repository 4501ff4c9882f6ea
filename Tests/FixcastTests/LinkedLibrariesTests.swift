// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import fixcast

@Suite("The list of linked libraries")
struct LinkedLibrariesTests {
  /// The rows of `.packaging/versions.txt`: name, version, revision, licence, origin.
  private static func rows() throws -> [[String]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: ".packaging/versions.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        let words = line.split(separator: " ").map(String.init)
        let licence = words[3..<(words.count - 1)].joined(separator: " ")
        return Array(words[0..<3]) + [licence, words[words.count - 1]]
      }
  }

  @Test func `each linked library has the version and licence that versions.txt lists`() throws {
    var listed = try Self.rows().reduce(into: [:]) { $0[$1[0]] = $1 }
    #if compiler(<6.3)
      listed["swift"] = listed["swiftlang"]
    #endif
    for library in LinkedLibraries.all {
      let row = try #require(listed[library.name], "\(library.name)")
      #expect((library.version ?? "-") == row[1], "\(library.name)")
      #expect(library.licence == row[3], "\(library.name)")
    }
    let system = listed.values.filter { $0[4] == "system" }.map { $0[0] }
    let copies = listed.values.filter { $0[4].contains("/Sources/") }.map { $0[0] }
    #expect(Set(LinkedLibraries.all.map(\.name)).isSuperset(of: system + copies))
  }

  @Test func `a shared library is listed with the name of the loaded file`() {
    let text = LinkedLibraries.text(loaded: ["libz.so.1.2.13", "libgps.so.28.0.0"])
    #expect(text.contains("\n  libz libz.so.1.2.13 (Zlib)"))
    #expect(text.contains("\n  libgps libgps.so.28.0.0 (BSD-2-Clause)\n"))
    #expect(text.contains("\n  libudev not loaded (LGPL-2.1-or-later)\n"))
  }

  @Test func `--version --verbose lists the libraries, --version prints the version only`() async throws {
    let (lines, code) = try await Program.run("--version", "--verbose")
    #expect(code == 0)
    for library in LinkedLibraries.all {
      let line = lines.first { $0.hasPrefix("  \(library.name) ") }
      #expect(line?.hasSuffix("(\(library.licence))") == true, "\(library.name): \(lines)")
      #expect(line?.contains("not loaded") == false)
    }
    #expect(try await Program.run("--version").lines == [Fixcast.version])
  }
}
