// SPDX-License-Identifier: Apache-2.0

/// An error thrown if a specified source cannot be used.
package struct SourceUnavailable: Error, CustomStringConvertible {
  package let specification: SourceSpecification

  /// The error and its correction in one line.
  package var description: String {
    "cannot use source \(specification); run fixcast doctor, or choose another source, "
      + "e.g. --source serial:/dev/ttyACM0"
  }
}
