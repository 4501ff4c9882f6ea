// SPDX-License-Identifier: Apache-2.0

/// A node of the parsed text; the node's kind determines what may be added to the node.
struct TOMLTree {
  enum Kind {
    /// A value, list or inline table, to which nothing can be added.
    case value
    /// `a` in `[a.b]`.
    case implied
    /// `a` in `[a]`.
    case headed
    /// `a` in `a.b = 1`.
    case dotted
    /// `a` in `[[a]]`.
    case tables
  }

  /// The line of the key, starting at 1.
  var line: Int
  var kind: Kind
  /// The value; `nil` for tables and lists.
  var scalar: SettingValue?
  /// The elements of a list or of `[[a]]`; `nil` for other nodes.
  var elements: [TOMLTree]?
  private(set) var names: [String] = []
  private(set) var children: [String: TOMLTree] = [:]

  init(line: Int, kind: Kind, scalar: SettingValue? = nil, elements: [TOMLTree]? = nil) {
    self.line = line
    self.kind = kind
    self.scalar = scalar
    self.elements = elements
  }

  /// Adds a value at a dotted key, whose first `section` parts come from the current header.
  mutating func set(
    _ path: ArraySlice<String>, section: Int, _ value: TOMLTree
  ) throws(TOMLFault) {
    try enter(path, section: section, line: value.line) {
      (table: inout TOMLTree, name: String) throws(TOMLFault) in
      try table.rejectDuplicate(name, line: value.line)
      table.add(name, value)
    }
  }

  /// Opens the table of a header `[a.b]`.
  mutating func open(_ path: ArraySlice<String>, line: Int) throws(TOMLFault) {
    try enter(path, section: nil, line: line) {
      (table: inout TOMLTree, name: String) throws(TOMLFault) in
      if table.children[name]?.kind == .implied {
        table.children[name]?.kind = .headed
        table.children[name]?.line = line
      } else {
        try table.rejectDuplicate(name, line: line)
        table.add(name, TOMLTree(line: line, kind: .headed))
      }
    }
  }

  /// Adds a table to the list of a header `[[a.b]]`.
  mutating func append(_ path: ArraySlice<String>, line: Int) throws(TOMLFault) {
    try enter(path, section: nil, line: line) {
      (table: inout TOMLTree, name: String) throws(TOMLFault) in
      let element = TOMLTree(line: line, kind: .headed)
      if table.children[name]?.kind == .tables {
        table.children[name]?.elements?.append(element)
      } else {
        try table.rejectDuplicate(name, line: line)
        table.add(name, TOMLTree(line: line, kind: .tables, elements: [element]))
      }
    }
  }

  /// Calls `change` with the last part of a path and the table that contains it.
  ///
  /// `section` is the number of leading parts that come from the current header; `nil` if the whole
  /// path is a header.
  private mutating func enter(
    _ path: ArraySlice<String>, section: Int?, line: Int,
    _ change: (inout TOMLTree, String) throws(TOMLFault) -> Void
  ) throws(TOMLFault) {
    guard let name = path.first else { return }
    let rest = path.dropFirst()
    guard !rest.isEmpty else { return try change(&self, name) }
    let isDotted = section.map { $0 <= 0 } ?? false
    if children[name] == nil {
      add(name, TOMLTree(line: line, kind: isDotted ? .dotted : .implied))
    }
    let inner = section.map { $0 - 1 }
    switch (children[name]?.kind, isDotted) {
    case (.tables?, false):
      guard let last = children[name]?.elements?.indices.last else { return }
      try children[name]?.elements?[last].enter(rest, section: inner, line: line, change)
      return
    case (.value?, _), (.headed?, true), (.tables?, true): try rejectDuplicate(name, line: line)
    case (.implied?, true): children[name]?.kind = .dotted
    default: break
    }
    try children[name]?.enter(rest, section: inner, line: line, change)
  }

  private mutating func add(_ name: String, _ tree: TOMLTree) {
    names.append(name)
    children[name] = tree
  }

  private func rejectDuplicate(_ name: String, line: Int) throws(TOMLFault) {
    guard let first = children[name] else { return }
    throw TOMLFault(
      line: line,
      text: "\(SettingValue.key(name)) is already defined on line \(first.line); remove one")
  }
}

extension TOMLTree {
  func settings(path: String, file: String) -> SettingsTable {
    let entries = names.compactMap { name in
      children[name].map { child in
        SettingEntry(
          name, child.value(path: path.isEmpty ? name : "\(path).\(name)", file: file),
          at: SettingOrigin(file: file, line: child.line))
      }
    }
    return SettingsTable(path, at: SettingOrigin(file: file, line: line), entries: entries)
  }

  private func value(path: String, file: String) -> SettingValue {
    if let scalar { return scalar }
    guard let elements else { return .table(settings(path: path, file: file)) }
    return .list(
      elements.enumerated().map { offset, element in
        element.value(path: "\(path)[\(offset + 1)]", file: file)
      })
  }
}

/// A syntax error.
struct TOMLFault: Error {
  var line: Int
  var column: Int?
  var text: String
}
