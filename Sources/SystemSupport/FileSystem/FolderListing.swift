// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Lists folders.
package enum FolderListing {
  /// Reads the names in a folder.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - limit: The maximum number of names; more names cause an error.
  ///   - isWanted: A filter for the names.
  /// - Returns: The names that pass the filter, in no particular order.
  /// - Throws: ``FileFailure``; `EOVERFLOW` if there are more than `limit` names.
  package static func names(
    in path: String, limit: Int, where isWanted: (String) -> Bool
  ) throws(FileFailure) -> [String] {
    guard let folder = opendir(path) else {
      throw FileFailure(path: path, call: "open", number: errno)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else {
        let number = errno
        guard number == 0 else { throw FileFailure(path: path, call: "read", number: number) }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard isWanted(name) else { continue }
      guard names.count < limit else {
        throw FileFailure(path: path, call: "read", number: EOVERFLOW)
      }
      names.append(name)
    }
  }
}
