// SPDX-License-Identifier: Apache-2.0

package enum RuleFindings {
  /// Returns the findings about the udev rules, which are recommended but not required.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    var (installed, missing): ([String], [String]) = ([], [])
    for rule in snapshot.rules {
      switch rule.state {
      case .installed(let path): installed.append(path)
      case .missing: missing.append("\(rule.name) (\(purpose(of: rule.name)))")
      case .masked(let path):
        findings.append(
          DoctorFinding(
            .note, "rules", "\(rule.name) is disabled by \(path), which contains no rules",
            remedy: "sudo rm \(quoted(path)) && \(installRules(snapshot))"))
      }
    }
    if !missing.isEmpty {
      findings.append(
        DoctorFinding(
          .note, "rules",
          "not installed: \(missing.joined(separator: ", ")); they are in "
            + (snapshot.rulesFolder ?? "the directory udev of Fixcast's sources"),
          remedy: installRules(snapshot)))
    }
    if !installed.isEmpty {
      findings.append(
        DoctorFinding(.good, "rules", "installed as \(installed.joined(separator: ", "))"))
    }
    return findings
  }

  /// Returns the purpose of a rules file.
  private static func purpose(of name: String) -> String {
    name == DoctorSnapshot.ruleNames.first
      ? "gives receivers a /dev/fixcast name and keeps ModemManager off them"
      : "marks the position ports of modems"
  }

  /// Returns the command that installs the udev rules.
  static func installRules(_ snapshot: DoctorSnapshot) -> String {
    // If the directory is unknown, the command has to be run in the root of the source tree.
    let folder = snapshot.rulesFolder ?? "udev"
    let files = DoctorSnapshot.ruleNames.map { quoted("\(folder)/\($0)") }
    return "sudo cp \(files.joined(separator: " ")) /etc/udev/rules.d/ "
      + "&& sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty"
      + (snapshot.rulesFolder == nil ? "   (in the root of Fixcast's sources)" : "")
  }

  /// Returns a path quoted for a shell.
  package static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
    guard !isPlain else { return path }
    // Each single quote is replaced by: closing quote, escaped quote, opening quote.
    return "'"
      + path.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
