// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The number of inputs of tests with random inputs.
///
/// By default, such a test uses a tenth of its inputs. With `FIXCAST_ALL_RANDOM_INPUTS`, which
/// `make faults` sets, it uses all of them.
package enum RandomInputs {
  private static let areAllUsed = getenv("FIXCAST_ALL_RANDOM_INPUTS") != nil

  /// Returns the number of inputs to use, or the expected share of a count of all inputs.
  package static func count<Number: BinaryInteger>(_ all: Number) -> Number {
    areAllUsed ? all : all / 10
  }
}
