// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension DoctorSnapshot {
  /// A file of rules for udev, and whether udev reads it.
  package struct Rule: Equatable, Sendable {
    /// What has become of it.
    package enum State: Equatable, Sendable {
      /// udev reads it there.
      case installed(path: String)
      /// A file of that name without rules stands before it, which switches it off.
      case masked(path: String)
      /// It is not installed.
      case missing
    }

    /// The name of the file.
    package var name: String
    /// What has become of it.
    package var state: State

    /// Makes a rule.
    package init(_ name: String, _ state: State) {
      self.name = name
      self.state = state
    }
  }

  /// The rules that mark receivers, and those that mark the position ports of modems.
  package static let ruleNames = ["61-fixcast.rules", "79-fixcast-modems.rules"]
  /// Where udev looks for rules: what is in the first of them counts.
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

  /// The folder from which the rules can be installed: beside the program's sources, where it runs
  /// from there, or where a package puts it.
  ///
  /// Returns the folder; `nil` where the rules are in none of these.
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

  /// The path of the program that runs.
  static func programPath() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
