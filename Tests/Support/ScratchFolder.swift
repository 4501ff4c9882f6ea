// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A temporary folder that is removed at the end of a test.
package struct ScratchFolder: ~Copyable {
  /// The path of the folder.
  package let path: String

  /// Makes a folder.
  ///
  /// - Throws: An error of the file system.
  package init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file with a text, and makes its parent folders.
  ///
  /// - Throws: An error of the file system.
  package func write(_ name: String, _ text: String) throws {
    try write(name, bytes: Array(text.utf8))
  }

  /// Writes a file with bytes, and makes its parent folders.
  ///
  /// - Throws: An error of the file system.
  package func write(_ name: String, bytes: [UInt8]) throws {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// Makes a subfolder.
  ///
  /// - Throws: An error of the file system.
  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  /// Removes a file.
  ///
  /// - Throws: An error of the file system.
  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// Reads a file as text.
  ///
  /// - Parameter name: The path relative to the folder.
  /// - Returns: The text.
  /// - Throws: An error of the file system.
  package func read(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  /// Reads a file as bytes.
  ///
  /// - Parameter name: The path relative to the folder.
  /// - Returns: The bytes.
  /// - Throws: An error of the file system.
  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  /// Returns the sorted names in the folder; an empty array if it no longer exists.
  package func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
