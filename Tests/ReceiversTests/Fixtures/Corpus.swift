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

  /// The inputs from public fault reports, by name without number and extension; empty without them.
  static let fieldInputs: [String: URL] = {
    guard let folder,
      let files = try? FileManager.default.contentsOfDirectory(
        at: folder.appending(path: "field"), includingPropertiesForKeys: nil)
    else { return [:] }
    let inputs = files.filter { $0.pathExtension == "nmea" }.map { file in
      let name = file.deletingPathExtension().lastPathComponent
      return (String(name.drop { $0 != "-" }.dropFirst()), file)
    }
    return Dictionary(inputs) { first, _ in first }
  }()

  private static let folder = ProcessInfo.processInfo.environment["FIXCAST_CORPUS"].map {
    URL(filePath: $0)
  }

  private static let folders: [URL] = ["nmea", "other"].compactMap { folder?.appending(path: $0) }
}
