// SPDX-License-Identifier: Apache-2.0

/// A failure that cannot be expressed with `#expect`.
struct ExpectationError: Error {
  var message: String
  init(_ message: String) { self.message = message }
}
