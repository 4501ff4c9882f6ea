// SPDX-License-Identifier: Apache-2.0

/// Where a key stands, and the keys and elements in it.
struct TOMLNode: Equatable {
  /// The line of the key, from 1.
  var line: Int
  /// What is in it, where it is a table.
  var children: [String: TOMLNode] = [:]
  /// What is in it, where it is a list, tables of `[[...]]` included.
  var elements: [TOMLNode] = []

  /// Changes what a path leads to, and puts in what is not there yet.
  ///
  /// A list on the way stands for its last element, as TOML has it.
  mutating func edit(
    _ path: ArraySlice<String>, line: Int, _ change: (inout TOMLNode) -> Void
  ) {
    guard let name = path.first else { return change(&self) }
    children[name, default: TOMLNode(line: line)].descend(path.dropFirst(), line: line, change)
  }

  private mutating func descend(
    _ path: ArraySlice<String>, line: Int, _ change: (inout TOMLNode) -> Void
  ) {
    if elements.isEmpty || path.isEmpty {
      edit(path, line: line, change)
    } else {
      elements[elements.count - 1].edit(path, line: line, change)
    }
  }
}

/// Why a text is not handed to the parser.
struct TOMLFault: Error {
  var line: Int
  var text: String
}
