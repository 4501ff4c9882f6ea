// SPDX-License-Identifier: Apache-2.0

/// A name for one run of one program.
public struct ProcessToken: Hashable, Codable, Sendable {
  /// The number of the process, which is given to others after its end.
  public var process: Int32
  /// When it began, in ticks since the boot.
  public var startTicks: UInt64
  /// Which boot; `nil` where the kernel does not tell.
  public var boot: String?

  package init(process: Int32, startTicks: UInt64, boot: String?) {
    self.process = process
    self.startTicks = startTicks
    self.boot = boot
  }
}
