// SPDX-License-Identifier: Apache-2.0

import Daemon
import Glibc

extension WaitNotice {
  /// Prints nothing.
  static let silent = WaitNotice {}

  /// Prints the line if the operation is slow.
  static func whenSlow(_ line: String) -> WaitNotice { WaitNotice { StandardError.print(line) } }

  /// Prints the line: at once on a terminal, otherwise if the operation is slow.
  static func onStandardError(_ line: String) -> WaitNotice {
    WaitNotice(after: isatty(STDERR_FILENO) == 1 ? .zero : defaultDelay) {
      StandardError.print(line)
    }
  }
}
