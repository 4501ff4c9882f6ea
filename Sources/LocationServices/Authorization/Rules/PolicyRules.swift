// SPDX-License-Identifier: Apache-2.0

/// All rules, and the problems found while reading them.
package struct PolicyRules: Hashable, Sendable {
  /// The rules of the administrator, below /etc.
  package internal(set) var administrator: [PolicyRule] = []
  /// The rules of the system image or a package.
  package internal(set) var image: [PolicyRule] = []
  /// The files and lines that cannot be read or parsed; a single problem restricts every client.
  package internal(set) var problems: [PolicyProblem] = []

  /// Whether a read error may disappear without a change to the files.
  var hasTemporaryProblem = false

  /// Creates an empty policy, under which every request waits for an operator.
  package init() {}

  /// Parses a policy file in memory; never fails, but stores invalid lines in `problems`.
  ///
  /// `isAdministrators` means that the file is from the administrator and may contain locks, like a
  /// file below /etc.
  package init(reading bytes: [UInt8], as file: String, isAdministrators: Bool = true) {
    let parser = PolicyParser(allowsLocks: isAdministrators, userID: UserNames.number)
    let (rules, problems) = parser.parse(bytes, file: file)
    if isAdministrators { administrator = rules } else { image = rules }
    self.problems = problems
  }

  mutating func add(_ problem: PolicyProblem, isTemporary: Bool) {
    problems.append(problem)
    hasTemporaryProblem = hasTemporaryProblem || isTemporary
  }
}
