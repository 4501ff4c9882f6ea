// SPDX-License-Identifier: Apache-2.0

/// Finds the system unit of a process in `/proc/PID/cgroup`.
///
/// Only root can create a system unit, so its name is reliable. The name of a user unit is not
/// reliable, because the user chooses it. All user units and login sessions are below `user.slice`.
enum ControlGroups {
  /// The maximum length of a unit name in systemd.
  private static let maxUnitBytes = 255

  /// The system unit of a process, as far as the lines show it.
  enum Membership: Hashable, Sendable {
    /// The process runs in a system unit.
    case unit(String)
    /// The process runs outside of system units: in a login session, or in no group.
    case outside
    /// The process runs in a group that systemd does not manage, such as that of a container.
    case other(path: String)
    /// The lines are malformed or ambiguous.
    case unclear
  }

  /// Finds the system unit.
  ///
  /// - Parameter bytes: The contents of the file, one hierarchy per line:
  ///   `0::/system.slice/a.service` with a single hierarchy, `1:name=systemd:/...` if systemd has a
  ///   hierarchy of its own besides those of control groups version 1.
  /// - Returns: The unit; `nil` if the process is outside of units or the lines are unclear.
  static func systemUnit(in bytes: some Collection<UInt8>) -> String? {
    if case .unit(let unit) = membership(in: bytes) { unit } else { nil }
  }

  /// Finds the system unit; distinguishes a process outside of units from unclear lines.
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
    // If systemd has a hierarchy of its own, the unified hierarchy may not contain units. Container
    // programs leave behind a hierarchy named `systemd` with all processes at its root. systemd
    // does not use that hierarchy, so it is ignored.
    let paths = named.isEmpty || named == ["/"] && !unified.isEmpty ? unified : named
    guard let path = paths.first else { return .outside }
    // A path to a deleted group, or to a group outside of this namespace, is unclear.
    guard paths.count == 1, path.hasPrefix("/"), path != "/..", !path.hasPrefix("/../"),
      !path.hasSuffix(" (deleted)")
    else { return .unclear }
    return membership(ofPath: path)
  }

  /// Finds the system unit of a group from its path.
  static func membership(ofPath path: String) -> Membership {
    if let unit = unit(ofPath: path) { return .unit(unit) }
    let isOutside = path == "/" || path == "/user.slice" || path.hasPrefix("/user.slice/")
    return isOutside ? .outside : .other(path: path)
  }

  /// Returns the identity of a client; `nil` if its group is unclear.
  ///
  /// `ofInit` returns the group of the first process. That group has no special meaning: the daemon may
  /// run in the same container as the client.
  static func identity(
    user: UInt32, _ membership: Membership, ofInit: () -> Membership
  ) -> ClientIdentity? {
    var identity = ClientIdentity(userID: user)
    switch membership {
    case .unit(let name): identity.systemUnit = name
    case .outside: break
    case .other: identity.isInOtherGroup = membership != ofInit()
    case .unclear: return nil
    }
    return identity
  }

  /// Returns the first component after the slices; deeper groups were created by the unit itself.
  static func unit(ofPath path: String) -> String? {
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    let slices = parts.prefix { $0.hasSuffix(".slice") }
    guard slices.first != "user.slice", slices.count < parts.count else { return nil }
    // systemd prefixes an underscore to a name that could collide with a file of the kernel.
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
