// SPDX-License-Identifier: Apache-2.0

/// Reports problems of a sink that goes on working.
package struct PluginNotice: Sendable {
  /// The receiver of the problems of the sink that the current task runs; outside of a pipeline, it
  /// does nothing.
  ///
  /// A task-local value of a function type stops release builds of Swift 6.3.1 with a segmentation
  /// fault, so this is a structure.
  @TaskLocal static var current = PluginNotice { _ in }

  private let show: @Sendable (String) -> Void

  init(show: @escaping @Sendable (String) -> Void) { self.show = show }

  /// Shows a message as the sink's last error in the status; does nothing outside of a pipeline.
  package static func report(_ message: String) { current.show(message) }
}
