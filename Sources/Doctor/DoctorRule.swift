// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

extension DoctorSnapshot {
  /// A udev rules file and its installation state.
  package struct Rule: Equatable, Sendable {
    /// The installation state of a rules file.
    package enum State: Equatable, Sendable {
      /// Installed in a directory that udev reads.
      case installed(path: String)
      /// Disabled by a file of the same name that contains no rules, such as a link to /dev/null,
      /// in a directory of higher priority.
      case masked(path: String)
      /// Not installed.
      case missing
    }

    /// The file name.
    package var name: String
    /// The installation state.
    package var state: State

    package init(_ name: String, _ state: State) {
      self.name = name
      self.state = state
    }
  }

  /// The rules files for receivers and for the position ports of modems.
  package static let ruleNames = ["61-fixcast.rules", "79-fixcast-modems.rules"]
  /// The directories of udev's rules, highest priority first.
  static let ruleFolders = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]

  static func rules(in folders: [String] = ruleFolders) -> [Rule] {
    ruleNames.map { name in
      let paths = folders.map { "\($0)/\(name)" }
      guard let path = paths.first(where: { access($0, F_OK) == 0 }) else {
        return Rule(name, .missing)
      }
      var status = stat()
      let isEmpty =
        stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFREG || status.st_size == 0
      return Rule(name, isEmpty ? .masked(path: path) : .installed(path: path))
    }
  }

  /// Returns the directory from which the rules can be installed; `nil` if none is found.
  ///
  /// Searches the source tree that contains the program, then the directories of the packages.
  static func rulesSource(program: String) -> String? {
    var candidates: [String] = []
    var parts = program.split(separator: "/").dropLast()
    while !parts.isEmpty {
      candidates.append("/" + parts.joined(separator: "/") + "/udev")
      parts = parts.dropLast()
    }
    candidates += ["/usr/local/share/fixcast/udev", "/usr/share/fixcast/udev"]
    return candidates.first { folder in
      ruleNames.allSatisfy { access("\(folder)/\($0)", R_OK) == 0 }
    }
  }

  /// The path of the running program.
  static func programPath() -> String { SymbolicLink.target(of: "/proc/self/exe") ?? "" }
}
