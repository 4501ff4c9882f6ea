// SPDX-License-Identifier: Apache-2.0

@testable import Receivers

extension ProcessFolder {
  /// Returns the number of descriptors of this process for a path.
  ///
  /// Unlike the total number of descriptors, this number does not depend on other tests.
  static func descriptorCount(of path: String) -> Int {
    (0..<4096).count { link("/proc/self/fd/\($0)") == path }
  }
}
