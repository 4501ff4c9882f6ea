// SPDX-License-Identifier: Apache-2.0

/// Where a setting was written.
public struct SettingOrigin: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The file's path as it was opened.
  public let file: String
  /// The line, from 1; `nil` where it is the file as a whole.
  public let line: Int?
  /// The column in characters, from 1; `nil` where it is the line as a whole.
  public let column: Int?

  /// Names a spot in a file.
  ///
  /// - Parameters:
  ///   - file: The file's path.
  ///   - line: The line, from 1.
  ///   - column: The column, from 1.
  public init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// As compilers write it: `FILE:LINE:COLUMN`, as far as it is known.
  public var description: String {
    guard let line else { return file }
    return "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
  }

  /// Whether one stands before the other: by file, line and column.
  public static func < (left: Self, right: Self) -> Bool {
    (left.file, left.line ?? 0, left.column ?? 0) < (right.file, right.line ?? 0, right.column ?? 0)
  }
}
