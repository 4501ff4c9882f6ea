// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A temporary folder in the format of `/sys/bus/iio/devices`, deleted when this object is
/// released.
final class FakeIIO: Sendable {
  let root: String

  init() throws {
    root = NSTemporaryDirectory() + "/fixcast-iio-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Adds a device with attributes.
  ///
  /// An attribute whose text is `nil` becomes a folder, so that reading it fails.
  func add(_ number: Int, name: String?, _ attributes: [String: String?]) throws {
    let folder = root + "/iio:device\(number)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if let name {
      try (name + "\n").write(toFile: folder + "/name", atomically: false, encoding: .utf8)
    }
    for (attribute, text) in attributes {
      let path = folder + "/" + attribute
      if let text {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
      } else {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
    }
  }
}
