// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WeatherClientLive

/// Collected replies of providers, which are not part of the repository.
///
/// The replies are in the folder `samples` beside the folder in `FIXCAST_CORPUS`, or beside the
/// checkout.
enum Samples {
  static let folder: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let corpus =
      ProcessInfo.processInfo.environment["FIXCAST_CORPUS"].map { URL(filePath: $0) }
      ?? package.appending(path: "../shared/corpus")
    let samples = corpus.deletingLastPathComponent().appending(path: "samples")
    return FileManager.default.fileExists(atPath: samples.path) ? samples : nil
  }()

  static let arePresent = folder != nil
  static let absence: Comment = "no collected replies: set FIXCAST_CORPUS"

  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = try #require(folder)
    return Array(try Data(contentsOf: folder.appending(path: "\(name).json")))
  }

  static func reply(_ name: String, status: Int = 200) throws -> WeatherReply {
    WeatherReply(status: status, body: try bytes(name))
  }

  /// Returns the body of a sample of MET Norway, whose file also contains the headers.
  static func metNorway(_ name: String) throws -> [UInt8] {
    let sample = try JSONSerialization.jsonObject(with: Data(try bytes(name)))
    let data = try #require((sample as? [String: Any])?["data"])
    return Array(try JSONSerialization.data(withJSONObject: data))
  }
}
