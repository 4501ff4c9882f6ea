// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Recorded receivers, where there are any: in `FIXCAST_CORPUS`, or beside the checkout.
enum Corpus {
  static let folder: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["FIXCAST_CORPUS"].map { URL(filePath: $0) }
    let candidates = [named, package.appending(path: "../shared/corpus")].compactMap { $0 }
    return candidates.first { FileManager.default.fileExists(atPath: $0.path) }
  }()

  static let isPresent = !logs.isEmpty

  /// All logs: sentences, binary protocols, and mixtures.
  static let logs: [URL] = ["nmea", "other"].flatMap { name -> [URL] in
    guard let folder = folder?.appending(path: name) else { return [] }
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "log" }.sorted { $0.path < $1.path }
  }
}
