// SPDX-License-Identifier: Apache-2.0

/// Reads out of `/proc/PID/cgroup` which system unit a process runs in.
///
/// Only root makes a system unit, so its name is evidence. Units of a user are not: whoever runs
/// as that user names them at will. All of them, and login sessions, lie below `user.slice`.
enum ControlGroups {
  /// A name longer than systemd allows is none.
  private static let maxUnitBytes = 255

  /// What the lines say of a process.
  enum Membership: Hashable, Sendable {
    /// It runs in a system unit.
    case unit(String)
    /// It runs in none.
    case outside
    /// The lines leave room for doubt.
    case unclear
  }

  /// Finds the system unit.
  ///
  /// - Parameter bytes: The file, a hierarchy a line: `0::/system.slice/a.service` where there is
  ///   one hierarchy, `1:name=systemd:/…` where systemd has one beside those of version 1.
  /// - Returns: The unit; `nil` where there is none, or where the lines leave room for doubt.
  static func systemUnit(in bytes: some Collection<UInt8>) -> String? {
    if case .unit(let unit) = membership(in: bytes) { unit } else { nil }
  }

  /// Finds the system unit, and tells having none from not being clear.
  static func membership(in bytes: some Collection<UInt8>) -> Membership {
    var named: [String] = []
    var unified: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, let path = String(validating: fields[2], as: UTF8.self) else {
        return .unclear
      }
      if fields[1].elementsEqual("name=systemd".utf8) {
        named.append(path)
      } else if fields[0].elementsEqual("0".utf8), fields[1].isEmpty {
        unified.append(path)
      }
    }
    // Where systemd has a hierarchy of its own, the other may be empty of units; one of that name
    // in which nobody has been put anywhere, as container programs leave behind, is not systemd's.
    let paths = named.isEmpty || named == ["/"] && !unified.isEmpty ? unified : named
    guard let path = paths.first else { return .outside }
    // Out of the daemon's sight, or of a group that is gone.
    guard paths.count == 1, path.hasPrefix("/"), path != "/..", !path.hasPrefix("/../"),
      !path.hasSuffix(" (deleted)")
    else { return .unclear }
    return unit(ofPath: path).map { .unit($0) } ?? .outside
  }

  /// The unit is the first part behind the slices; what is deeper was made by the unit itself.
  private static func unit(ofPath path: String) -> String? {
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    let slices = parts.prefix { $0.hasSuffix(".slice") }
    guard slices.first != "user.slice", slices.count < parts.count else { return nil }
    // systemd puts an underscore before a name that the kernel might take for a file of its own.
    var name = parts[slices.count]
    if name.hasPrefix("_") { name = name.dropFirst() }
    return isUnit(name) ? String(name) : nil
  }

  private static func isUnit(_ name: Substring) -> Bool {
    guard name.hasSuffix(".service") || name.hasSuffix(".scope"), !name.hasPrefix("."),
      !name.hasPrefix("user@"), name.utf8.count <= maxUnitBytes
    else { return false }
    return UnitName.isValid(name)
  }
}
