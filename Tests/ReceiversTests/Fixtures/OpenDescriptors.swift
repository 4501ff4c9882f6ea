// SPDX-License-Identifier: Apache-2.0

import SystemSupport

/// The open descriptors of this process.
enum OpenDescriptors {
  /// Returns the number of descriptors for a path.
  ///
  /// Unlike the total number of descriptors, this number does not depend on other tests.
  static func count(of path: String) -> Int {
    (0..<4096).count { SymbolicLink.target(of: "/proc/self/fd/\($0)") == path }
  }
}
