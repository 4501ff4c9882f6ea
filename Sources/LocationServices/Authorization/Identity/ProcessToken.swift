// SPDX-License-Identifier: Apache-2.0

/// A name for one run of one program.
package struct ProcessToken: Hashable, Codable, Sendable {
  /// The number of the process, which is given to others after its end.
  package var process: Int32
  /// When it began, in ticks since the boot.
  package var startTicks: UInt64
  /// Which boot; `nil` where the kernel does not tell.
  package var boot: String?

  package init(process: Int32, startTicks: UInt64, boot: String?) {
    self.process = process
    self.startTicks = startTicks
    self.boot = boot
  }
}
