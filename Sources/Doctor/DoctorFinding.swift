// SPDX-License-Identifier: Apache-2.0

/// A finding of the doctor.
package struct DoctorFinding: Equatable, Sendable {
  /// The severity of a finding.
  package enum Severity: String, Sendable {
    /// No problem.
    case good
    /// Does not prevent fixes, but may be unwanted.
    case note
    /// Prevents fixes or their delivery.
    case bad
  }

  /// The severity.
  package let severity: Severity
  /// The subject, such as a device node.
  package let subject: String
  /// The message.
  package let text: String
  /// The command that solves the problem; `nil` if there is no such command.
  package let remedy: String?

  init(_ severity: Severity, _ subject: String, _ text: String, remedy: String? = nil) {
    self.severity = severity
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }
}
