// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins

/// Where a command talks to people: never mixed with its data.
enum StandardError {
  /// Prints a line.
  static func print(_ line: String) {
    // Whoever closed it does not want to know.
    try? DescriptorOutput(descriptor: STDERR_FILENO).write(Array((line + "\n").utf8))
  }
}
