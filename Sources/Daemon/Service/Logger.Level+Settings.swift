// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Logging

extension Logger.Level {
  /// Converts the configured log level.
  init(_ level: DaemonSettings.LogLevel) {
    self =
      switch level {
      case .trace: .trace
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }
}
