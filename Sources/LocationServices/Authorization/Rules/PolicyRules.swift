// SPDX-License-Identifier: Apache-2.0

/// All rules, and the problems found while reading them.
package struct PolicyRules: Hashable, Sendable {
  /// The rules of the administrator, below /etc.
  package internal(set) var administrator: [PolicyRule] = []
  /// The rules of an image or a package.
  package internal(set) var image: [PolicyRule] = []
  /// The files and lines that cannot be read or parsed; a single problem restricts every client.
  package internal(set) var problems: [PolicyProblem] = []

  /// Whether one of the problems may be temporary, without a change of the files.
  var isTemporary = false

  /// Creates an empty policy, under which every request waits for an operator.
  package init() {}

  /// Parses a policy file in memory; any bytes give rules, problems or nothing.
  ///
  /// A file of the administrator counts as one below /etc and may contain locks.
  package init(reading bytes: [UInt8], as file: String, isAdministrators: Bool = true) {
    let parser = PolicyParser(allowsLocks: isAdministrators, userID: UserNames.number)
    let (rules, problems) = parser.parse(bytes, file: file)
    if isAdministrators { administrator = rules } else { image = rules }
    self.problems = problems
  }
}
