// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The source files of the module under test.
enum Sources {
  struct File: Sendable {
    /// The path within `Sources/NMEA`.
    var path: String
    var lines: [String]
  }

  /// Returns all files, or the files of one folder.
  static func files(in folder: String = "") throws -> [File] {
    let root = #filePath[...].components(upTo: "/Tests/NMEATests/")
    let directory = root + "/Sources/NMEA/" + folder
    return try FileManager.default.subpathsOfDirectory(atPath: directory)
      .filter { $0.hasSuffix(".swift") }.sorted()
      .map { path in
        let text = try String(contentsOfFile: directory + "/" + path, encoding: .utf8)
        return File(
          path: path,
          lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
      }
  }
}

extension Substring {
  /// Returns the path up to the last occurrence of a component.
  fileprivate func components(upTo part: String) -> String {
    ranges(of: part).last.map { String(self[..<$0.lowerBound]) } ?? String(self)
  }
}
