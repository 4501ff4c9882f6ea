// SPDX-License-Identifier: Apache-2.0

/// The names of files that nobody expects to be read: hidden ones, what editors and package managers
/// leave beside a file, and what has been put aside by an ending behind its name.
enum FolderLeftovers {
  /// What stands behind a file's name, in small letters.
  private static let endings = [
    "~", "#", ".bak", ".old", ".orig", ".save", ".swp", ".swo", ".swx", ".tmp", ".disabled", ".off",
    ".example", ".sample", ".rpmnew", ".rpmsave", ".rpmorig",
  ]
  /// What stands behind a file's name, with more after it.
  private static let marks = [".dpkg-", ".ucf-"]

  /// Whether a name is one of those.
  ///
  /// - Parameter name: The name, without its folder.
  /// - Returns: Whether it is.
  static func include(_ name: String) -> Bool {
    let small = name.lowercased()
    return small.hasPrefix(".") || small.hasPrefix("readme")
      || endings.contains(where: small.hasSuffix)
      || marks.contains { small.contains($0) }
  }
}
