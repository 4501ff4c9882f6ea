// SPDX-License-Identifier: Apache-2.0

import Daemon
import Glibc

extension WaitNotice {
  /// Says nothing.
  static let silent = WaitNotice {}

  /// Says a line where it takes longer than a moment: for what most often does not.
  static func whenSlow(_ line: String) -> WaitNotice { WaitNotice { StandardError.print(line) } }

  /// Says a line: to a person at a terminal at once, elsewhere where it takes longer than a moment.
  static func onStandardError(_ line: String) -> WaitNotice {
    WaitNotice(after: isatty(STDERR_FILENO) == 1 ? .zero : usualDelay) {
      StandardError.print(line)
    }
  }
}
