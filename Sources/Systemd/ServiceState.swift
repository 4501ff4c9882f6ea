// SPDX-License-Identifier: Apache-2.0

/// One thing that a service tells the service manager.
///
/// Source: sd_notify(3).
public enum ServiceState: Equatable, Hashable, Sendable {
  /// It has started, or has read its configuration again.
  case ready
  /// It reads its configuration again, since a reading of `CLOCK_MONOTONIC` in microseconds.
  case reloading(monotonicMicroseconds: UInt64)
  /// It is about to end.
  case stopping
  /// It is alive.
  case watchdog
  /// What it does, in one line for people.
  case status(String)

  /// The assignment as it is sent, one or two lines without the last line's end.
  ///
  /// A status is one line: what would begin another assignment becomes a blank.
  public var assignment: String {
    switch self {
    case .ready: "READY=1"
    case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    case .status(let text):
      "STATUS=" + String(text.map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }
  }
}
