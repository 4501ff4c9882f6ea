// SPDX-License-Identifier: Apache-2.0

/// One thing that the doctor has to say.
package struct DoctorFinding: Equatable, Sendable {
  /// How bad it is.
  package enum Severity: String, Sendable {
    /// It is as it should be.
    case good
    /// Worth knowing, or in the way of something that may be wanted.
    case note
    /// It stops fixes from coming.
    case bad
  }

  /// How bad it is.
  package let severity: Severity
  /// What it is about, such as a devnode.
  package let subject: String
  /// What was found.
  package let text: String
  /// The command that mends it; `nil` where there is nothing to mend.
  package let mend: String?

  init(_ severity: Severity, _ subject: String, _ text: String, mend: String? = nil) {
    self.severity = severity
    self.subject = subject
    self.text = text
    self.mend = mend
  }
}
