// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A folder that lasts as long as a test.
package struct ScratchFolder: ~Copyable {
  /// Where it is.
  package let path: String

  /// Makes a folder.
  ///
  /// - Throws: What the file system says.
  package init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, and the folders it lies in.
  ///
  /// - Parameters:
  ///   - name: Where in the folder.
  ///   - text: What.
  /// - Throws: What the file system says.
  package func write(_ name: String, _ text: String) throws {
    try write(name, bytes: Array(text.utf8))
  }

  /// Writes a file, and the folders it lies in.
  ///
  /// - Parameters:
  ///   - name: Where in the folder.
  ///   - bytes: What.
  /// - Throws: What the file system says.
  package func write(_ name: String, bytes: [UInt8]) throws {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// Makes a folder in the folder.
  ///
  /// - Parameter name: Where.
  /// - Throws: What the file system says.
  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  /// Removes a file.
  ///
  /// - Parameter name: Where in the folder.
  /// - Throws: What the file system says.
  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// Reads a file.
  ///
  /// - Parameter name: Where in the folder.
  /// - Returns: Its text.
  /// - Throws: What the file system says.
  package func read(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  /// Reads a file.
  ///
  /// - Parameter name: Where in the folder.
  /// - Returns: Its bytes.
  /// - Throws: What the file system says.
  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  /// The names in the folder, sorted.
  ///
  /// - Returns: The names; none where it is gone.
  package func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
