// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Receivers

@Suite struct LibGPSVersionTests {
  private static let packageFiles = {
    let folders = ["/usr/lib", "/usr/local/lib"].flatMap { folder in
      let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return [folder] + entries.map { "\(folder)/\($0)" }
    }
    return folders.map { "\($0)/pkgconfig/libgps.pc" }.filter(
      FileManager.default.fileExists(atPath:))
  }()

  @Test(.enabled(if: packageFiles.count == 1, "needs libgps.pc: make deps"))
  func `the stated release is that of the installed libgps`() throws {
    let text = try String(contentsOfFile: Self.packageFiles[0], encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Version:") })
    let release = line.dropFirst("Version:".count).trimmingCharacters(in: .whitespaces)
    #expect(LibGPSVersion.compiled.release == release)
  }

  @Test func `each API version has a release and its protocol version`() {
    let versions = [(9, 0), (11, 0), (14, 0), (16, 0), (16, 1), (17, 0)].map {
      let version = LibGPSVersion(apiMajor: $0, apiMinor: $1)
      return "\(version.release) \(version.protocolMajor).\(version.protocolMinor)"
    }
    #expect(
      versions == [
        "3.20 3.14", "3.22 3.14", "3.25 3.15", "3.27.3 16.0", "3.27.5 16.1", "3.27.5 16.1",
      ])
  }
}
