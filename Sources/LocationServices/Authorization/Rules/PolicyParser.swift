// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Parses a policy file, which has one complete rule per line.
///
///     # access to locations; '#' begins a comment
///     lock   user=guest
///     allow  unit=weather.service  accuracy=reduced
///     deny   uid=1001
///     ask    everyone  timeout=10m  then=deny
///
/// A line has a verb, followed by a selector and options in any order:
///
/// | verb | meaning | options |
/// |---|---|---|
/// | `lock` | restricted, no decision can change it; only below /etc | none |
/// | `allow` | granted on request | `level=always` (default) or `when-in-use`, `accuracy=full` (default) or `reduced`, and with `reduced` also `full=10m`: temporary full accuracy for that long on request |
/// | `deny` | refused on request | none |
/// | `ask` | an operator decides | `timeout=10m`, `then=stay` (default) or `deny` |
///
/// The selector is `everyone`, or one or more of `uid=`, `user=` and `unit=`, all of which must
/// match.
///
/// A program is in use while it has a stream of locations or another subscription open, or has
/// declared an activity.
///
/// There are no sections: each line is a complete rule that `grep` finds, and a missing heading
/// cannot apply a rule to other clients. The order of lines does not matter.
struct PolicyParser {
  /// The maximum length of a line; a longer line is a mistake or an attack.
  static let maxBytesPerLine = 1024
  /// The maximum number of rules, more than any board needs.
  static let maxRules = 4096
  /// Parsing stops after this many problems, because the file is evidently not a policy file.
  private static let maxProblems = 20

  /// Whether `lock` is allowed: only the administrator may lock, not an image or a package.
  let allowsLocks: Bool
  /// Returns the ID of a user; `nil` if the user does not exist.
  let userID: (String) -> UInt32?

  /// Parses a file; never fails, but returns invalid lines as problems.
  func parse(_ bytes: [UInt8], file: String) -> (rules: [PolicyRule], problems: [PolicyProblem]) {
    var rules: [PolicyRule] = []
    var problems: [PolicyProblem] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let place = PolicyPlace(file: file, line: index + 1)
      do throws(PolicySyntaxError) {
        guard let rule = try rule(line, at: place) else { continue }
        guard rules.count < Self.maxRules else {
          throw PolicySyntaxError("more than \(Self.maxRules) rules")
        }
        rules.append(rule)
      } catch {
        problems.append(PolicyProblem(place: place, message: error.message))
        if problems.count == Self.maxProblems { break }
      }
    }
    return (rules, problems)
  }

  private func rule(
    _ line: ArraySlice<UInt8>, at place: PolicyPlace
  ) throws(PolicySyntaxError) -> PolicyRule? {
    guard line.count <= Self.maxBytesPerLine else {
      throw PolicySyntaxError("longer than \(Self.maxBytesPerLine) bytes")
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw PolicySyntaxError("not valid UTF-8")
    }
    // Editors on other systems leave a carriage return at the end of a line.
    let words = text.split { $0 == " " || $0 == "\t" || $0 == "\r" }.prefix { !$0.hasPrefix("#") }
    guard let verb = words.first else { return nil }
    var reader = PolicyWordReader(words: words.dropFirst().map(String.init))
    let selector = try reader.takeSelector(userID: userID)
    var rule = PolicyRule(
      verb: try self.verb(String(verb), &reader), selector: selector, place: place)
    if case .allow(_, let accuracy) = rule.verb {
      rule.fullAccuracySeconds = try fullAccuracy(over: accuracy, &reader)
    }
    try reader.end()
    return rule
  }

  private func fullAccuracy(
    over accuracy: AccuracyAuthorization, _ words: inout PolicyWordReader
  ) throws(PolicySyntaxError) -> Int64? {
    guard let seconds = try words.takeDuration("full") else { return nil }
    guard accuracy == .reducedAccuracy else {
      throw PolicySyntaxError("full= requires reduced accuracy: add accuracy=reduced")
    }
    return seconds
  }

  private func verb(
    _ word: String, _ words: inout PolicyWordReader
  ) throws(PolicySyntaxError) -> PolicyRule.Verb {
    switch word {
    case "lock" where allowsLocks: return .lock
    case "lock":
      throw PolicySyntaxError("lock is allowed only below /etc, not in an image or package")
    case "deny": return .deny
    case "allow":
      return .allow(
        atMost: try words.take("level", ["always": .always, "when-in-use": .whenInUse]) ?? .always,
        try words.take("accuracy", ["full": .fullAccuracy, "reduced": .reducedAccuracy])
          ?? .fullAccuracy)
    case "ask":
      return .ask(
        timeoutSeconds: try words.takeDuration("timeout"),
        thenDeny: try words.take("then", ["stay": false, "deny": true]) ?? false)
    default:
      throw PolicySyntaxError(
        unknown: word, kind: "not a rule", known: ["lock", "allow", "deny", "ask"])
    }
  }
}
