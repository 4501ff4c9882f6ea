// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Recordings for tests that work with any input.
enum Corpus {
  /// The recordings of gpsd and the additional logs in the folder `FIXCAST_CORPUS`.
  ///
  /// Each recording contains sentences, binary protocols, or both.
  static let logs: [URL] = {
    let downloadedNames = Set(Recording.files.map(\.lastPathComponent))
    let others = folders.flatMap { folder -> [URL] in
      let files = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
      return (files ?? []).filter {
        $0.pathExtension == "log" && !downloadedNames.contains($0.lastPathComponent)
      }
    }
    return Recording.files + others.sorted { $0.path < $1.path }
  }()

  private static let folders: [URL] = {
    guard let path = ProcessInfo.processInfo.environment["FIXCAST_CORPUS"] else { return [] }
    return ["nmea", "other"].map { URL(filePath: path).appending(path: $0) }
  }()
}
