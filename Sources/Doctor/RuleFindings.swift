// SPDX-License-Identifier: Apache-2.0

enum RuleFindings {
  /// Judges the rules for udev: without them receivers are read all the same, with less comfort.
  static func rules(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    var (installed, missing): ([String], [String]) = ([], [])
    for rule in snapshot.rules {
      switch rule.state {
      case .installed(let path): installed.append(path)
      case .missing: missing.append("\(rule.name) (\(use(of: rule.name)))")
      case .masked(let path):
        findings.append(
          DoctorFinding(
            .note, "rules", "\(rule.name) is switched off by \(path), which holds no rules",
            mend: "sudo rm \(quoted(path)) && \(installRules(snapshot))"))
      }
    }
    if !missing.isEmpty {
      findings.append(
        DoctorFinding(
          .note, "rules",
          "not installed: \(missing.joined(separator: ", ")); to be found in "
            + (snapshot.rulesFolder ?? "the folder udev of Fixcast's sources"),
          mend: installRules(snapshot)))
    }
    if !installed.isEmpty {
      findings.append(
        DoctorFinding(.good, "rules", "installed as \(installed.joined(separator: ", "))"))
    }
    return findings
  }

  /// What a file is for.
  private static func use(of name: String) -> String {
    name == DoctorSnapshot.ruleNames.first
      ? "gives receivers a /dev/fixcast name, and keeps ModemManager off them"
      : "marks the position ports of modems"
  }

  /// The command that installs the rules: what gives receivers their names and their group.
  static func installRules(_ snapshot: DoctorSnapshot) -> String {
    // Where they are not found, they are copied from the folder that the sources are in.
    let folder = snapshot.rulesFolder ?? "udev"
    let files = DoctorSnapshot.ruleNames.map { quoted("\(folder)/\($0)") }
    return "sudo cp \(files.joined(separator: " ")) /etc/udev/rules.d/ "
      + "&& sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty"
      + (snapshot.rulesFolder == nil ? "   (in the folder of Fixcast's sources)" : "")
  }

  /// A path as a shell takes it whole.
  static func quoted(_ path: String) -> String {
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
    // A quote ends the quoted text, stands alone, and begins it again.
    return "'"
      + path.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
