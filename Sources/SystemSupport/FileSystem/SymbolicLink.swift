// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads symbolic links.
package enum SymbolicLink {
  /// Returns the target of a symbolic link as it is stored in the link.
  ///
  /// - Parameter path: The path of the link.
  /// - Returns: The target, or `nil` if it cannot be read or has 4,096 bytes or more.
  package static func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
