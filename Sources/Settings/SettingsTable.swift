// SPDX-License-Identifier: Apache-2.0

/// A key with its value, and where it was written.
public struct SettingEntry: Sendable {
  /// The key, without the tables around it.
  public let name: String
  /// Its value.
  public let value: SettingValue
  /// Where the key stands; `nil` for what no file said.
  public let origin: SettingOrigin?

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - name: The key, without the tables around it.
  ///   - value: Its value.
  ///   - origin: Where the key stands.
  public init(_ name: String, _ value: SettingValue, at origin: SettingOrigin? = nil) {
    self.name = name
    self.value = value
    self.origin = origin
  }
}

/// Keys with their values, in the order in which they were written.
///
/// Two tables are equal where they say the same, wherever and in whatever order they say it.
public struct SettingsTable: Sendable {
  /// What errors call it: `sink.gpx`; empty for a whole file.
  public let keyPath: String
  /// Where it begins; `nil` for what no file said.
  public let origin: SettingOrigin?
  /// The entries in order, each name once.
  public private(set) var entries: [SettingEntry] = []
  private var positions: [String: Int] = [:]

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - keyPath: What errors call it.
  ///   - origin: Where it begins.
  ///   - entries: Its entries. Of two with one name the later counts, in the earlier one's place.
  public init(
    _ keyPath: String = "", at origin: SettingOrigin? = nil, entries: [SettingEntry] = []
  ) {
    self.keyPath = keyPath
    self.origin = origin
    for entry in entries { set(entry) }
  }

  /// Whether it says nothing.
  public var isEmpty: Bool { entries.isEmpty }

  /// The entry of a name; `nil` where there is none.
  public subscript(name: String) -> SettingEntry? { positions[name].map { entries[$0] } }

  /// Puts an entry in, in place of one with its name.
  ///
  /// - Parameter entry: The entry.
  public mutating func set(_ entry: SettingEntry) {
    if let position = positions[entry.name] {
      entries[position] = entry
    } else {
      positions[entry.name] = entries.count
      entries.append(entry)
    }
  }

  /// The same under another name, the tables in it included.
  ///
  /// - Parameter keyPath: What errors call it from now on.
  /// - Returns: The table.
  public func named(_ keyPath: String) -> SettingsTable {
    let renamed = entries.map { entry in
      guard case .table(let inner) = entry.value else { return entry }
      let path = Self.join(keyPath, entry.name)
      return SettingEntry(entry.name, .table(inner.named(path)), at: entry.origin)
    }
    return SettingsTable(keyPath, at: origin, entries: renamed)
  }

  /// What errors call a key of it.
  ///
  /// - Parameter name: The key.
  /// - Returns: Such as `sink.gpx.file`.
  public func path(of name: String) -> String { Self.join(keyPath, name) }

  private static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }
}

extension SettingsTable: Equatable {
  /// Whether both say the same, wherever they say it.
  public static func == (left: Self, right: Self) -> Bool {
    left.entries.count == right.entries.count
      && left.entries.allSatisfy { right[$0.name]?.value == $0.value }
  }
}
