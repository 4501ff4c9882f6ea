// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Settings

/// Looks whether the programs that a configuration has started are there.
struct ProgramCheck {
  /// What a service is given by systemd, and by most shells.
  private static let usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// Looks for each.
  ///
  /// - Parameters:
  ///   - table: The configuration.
  ///   - catalog: What there is to be configured.
  /// - Returns: A warning for each that is nowhere.
  func warnings(in table: SettingsTable, _ catalog: ConfigurationCatalog) -> [SettingsError] {
    ConfigurationSection.written(in: table, catalog).compactMap {
      table, section -> SettingsError? in
      guard section.type == "exec", case .list(let words)? = table["command"]?.value,
        case .string(let program)? = words.first
      else { return nil }
      // It may be given a PATH of its own there.
      let isPathKnown = table["environment"] == nil && table["environment_files"] == nil
      return problem(with: program, isPathKnown).map {
        table.error(.conflict($0), in: "command")
      }
    }
  }

  private func problem(with program: String, _ isPathKnown: Bool) -> String? {
    guard !program.isEmpty else { return nil }
    guard !program.contains("/") else {
      let isMissing = program.hasPrefix("/") && Self.isMissing(program)
      return isMissing ? "there is no program \(program); install it, or name another" : nil
    }
    guard isPathKnown, folders.allSatisfy({ Self.isMissing("\($0)/\(program)") }) else {
      return nil
    }
    return "there is no program \(program) in PATH; install it, or write where it lies"
  }

  private var folders: [Substring] {
    let own = getenv("PATH").map { ":" + String(cString: $0) } ?? ""
    return (Self.usual + own).split(separator: ":")
  }

  /// What this user may not see may be there.
  private static func isMissing(_ path: String) -> Bool {
    access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }
}
