// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins

/// Standard error, for messages of the commands.
enum StandardError {
  /// Prints a text and a newline; control characters are made visible.
  static func print(_ text: String) {
    let shown = Text.visible(text, keepingNewlines: true)
    // Write errors, such as of a closed standard error, are ignored.
    try? DescriptorOutput(descriptor: STDERR_FILENO).write(Array((shown + "\n").utf8))
  }
}
