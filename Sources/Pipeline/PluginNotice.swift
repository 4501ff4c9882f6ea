// SPDX-License-Identifier: Apache-2.0

/// Reports problems of a sink that goes on working.
package enum PluginNotice {
  /// Shows a message as the sink's last error in the status; does nothing outside of a pipeline.
  @TaskLocal package static var report: @Sendable (String) -> Void = { _ in }
}
