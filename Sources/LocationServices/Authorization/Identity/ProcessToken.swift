// SPDX-License-Identifier: Apache-2.0

/// Identifies one run of a program.
package struct ProcessToken: Hashable, Codable, Sendable {
  /// The process ID, which may be reused after the process has ended.
  package var process: Int32
  /// The start time, in ticks since boot.
  package var startTicks: UInt64
  /// The boot ID; `nil` if the kernel does not provide it.
  package var boot: String?

  package init(process: Int32, startTicks: UInt64, boot: String?) {
    self.process = process
    self.startTicks = startTicks
    self.boot = boot
  }

  /// The token of clients whose process the kernel does not state, such as those of TCP sockets.
  ///
  /// Never alive: a one-time grant of such a client ends at the latest when the decisions change.
  package static let unknown = ProcessToken(process: 0, startTicks: 0, boot: nil)
}
