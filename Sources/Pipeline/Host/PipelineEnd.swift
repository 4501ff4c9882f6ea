// SPDX-License-Identifier: Apache-2.0

/// The reason why a pipeline's run ended.
public enum PipelineEnd: Equatable, Sendable {
  /// The input ended and all queues are empty.
  case finished
  /// The task was cancelled.
  case cancelled
  /// Every sink has failed permanently.
  case noSinkLeft
  /// A required plugin failed permanently with this error.
  case requiredFailed(name: String, PluginError)
}
