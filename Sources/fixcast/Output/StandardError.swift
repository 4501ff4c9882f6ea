// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins

/// Where a command talks to people: never mixed with its data.
enum StandardError {
  /// Prints a text and a newline; what a terminal would obey is shown as a picture.
  static func print(_ text: String) {
    let shown = Text.visible(text, keepingNewlines: true)
    // Whoever closed it does not want to know.
    try? DescriptorOutput(descriptor: STDERR_FILENO).write(Array((shown + "\n").utf8))
  }
}
