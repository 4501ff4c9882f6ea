// SPDX-License-Identifier: Apache-2.0

/// All rules that there are, or why it is not known which.
package struct PolicyRules: Hashable, Sendable {
  /// What the administrator wrote below /etc.
  package internal(set) var administrator: [PolicyRule] = []
  /// What an image or a package brought along.
  package internal(set) var image: [PolicyRule] = []
  /// What cannot be understood or read; while there is any, everybody is restricted.
  package internal(set) var problems: [PolicyProblem] = []

  /// Whether one of those may pass by itself, with the files as they are.
  var isPassing = false

  /// Makes an empty policy, under which every request waits for an operator.
  package init() {}

  /// Reads a policy file that is in memory; any bytes give rules, problems or nothing.
  ///
  /// An administrator's counts as one below /etc, so that it may lock.
  package init(reading bytes: [UInt8], as file: String, isAdministrators: Bool = true) {
    let parser = PolicyParser(allowsLocks: isAdministrators, userID: UserNames.number)
    let (rules, problems) = parser.parse(bytes, file: file)
    if isAdministrators { administrator = rules } else { image = rules }
    self.problems = problems
  }
}
