// SPDX-License-Identifier: Apache-2.0

/// A source that was named and cannot be had.
package struct SourceUnavailable: Error, CustomStringConvertible {
  /// What was named.
  package let specification: SourceSpecification

  /// The error in one line, with what to do.
  package var description: String {
    "no source for \(specification); see fixcast doctor, or name one: --source serial:/dev/ttyACM0"
  }
}
