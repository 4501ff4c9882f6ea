// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Reads a policy file: one rule a line, each complete in itself.
///
///     # who may know where the board is; '#' begins a comment
///     lock   user=guest
///     allow  unit=weather.service  accuracy=reduced
///     deny   uid=1001
///     ask    everyone  timeout=10m  then=deny
///
/// A line is a verb, whom it is about, and options, in any order behind the verb:
///
/// | verb | says | options |
/// |---|---|---|
/// | `lock` | restricted, no answer changes it; only below /etc | none |
/// | `allow` | granted when it asks | `level=always` (default) or `when-in-use`, `accuracy=full` (default) or `reduced`, and with that `full=10m`: full accuracy for so long whenever it asks |
/// | `deny` | refused when it asks | none |
/// | `ask` | an operator answers | `timeout=10m`, `then=stay` (default) or `deny` |
///
/// Whom: `everyone`, or one or more of `uid=`, `user=` and `unit=`, all of which must fit.
///
/// A program is in use while it has a stream of locations or another subscription open, or has
/// declared an activity.
///
/// There are no sections, so that the line which decided says the whole reason, `grep` shows it,
/// and a lost heading cannot give a rule to somebody else. The order of lines means nothing.
struct PolicyParser {
  /// Longer lines are a mistake or an attack.
  static let maxBytesALine = 1024
  /// More rules than any board needs.
  static let maxRules = 4096
  /// After that many one knows that it is not a policy file.
  private static let maxProblems = 20

  /// Whether `lock` may be said: only the administrator locks, not an image or a package.
  let allowsLocks: Bool
  /// The number of a user.
  let userID: (String) -> UInt32?

  /// Reads a file.
  ///
  /// Total: any bytes give rules, problems or nothing.
  func parse(_ bytes: [UInt8], file: String) -> (rules: [PolicyRule], problems: [PolicyProblem]) {
    var rules: [PolicyRule] = []
    var problems: [PolicyProblem] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let place = PolicyPlace(file: file, line: index + 1)
      do throws(PolicyMistake) {
        guard let rule = try rule(line, at: place) else { continue }
        guard rules.count < Self.maxRules else {
          throw PolicyMistake("more than \(Self.maxRules) rules")
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
  ) throws(PolicyMistake) -> PolicyRule? {
    guard line.count <= Self.maxBytesALine else {
      throw PolicyMistake("longer than \(Self.maxBytesALine) bytes")
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw PolicyMistake("not text in UTF-8")
    }
    // A carriage return at the end is what an editor on another system leaves.
    let words = text.split { $0 == " " || $0 == "\t" || $0 == "\r" }.prefix { !$0.hasPrefix("#") }
    guard let verb = words.first else { return nil }
    var reader = PolicyWords(words: words.dropFirst().map(String.init))
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
    over accuracy: AccuracyAuthorization, _ words: inout PolicyWords
  ) throws(PolicyMistake) -> Int64? {
    guard let seconds = try words.takeDuration("full") else { return nil }
    guard accuracy == .reducedAccuracy else {
      throw PolicyMistake("full= is for a while, where it is reduced: add accuracy=reduced")
    }
    return seconds
  }

  private func verb(
    _ word: String, _ words: inout PolicyWords
  ) throws(PolicyMistake) -> PolicyRule.Verb {
    switch word {
    case "lock" where allowsLocks: return .lock
    case "lock": throw PolicyMistake("lock counts only below /etc: an image or package cannot lock")
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
      throw PolicyMistake(unknown: word, kind: "no rule", known: ["lock", "allow", "deny", "ask"])
    }
  }
}
