// SPDX-License-Identifier: Apache-2.0

/// Why a pipeline's run has ended.
public enum PipelineEnd: Equatable, Sendable {
  /// The input has ended and gone through.
  case finished
  /// The task was cancelled.
  case cancelled
  /// Every sink is left out.
  case noSinkLeft
  /// A plugin that is required is left out, and why.
  case requiredFailed(name: String, PluginError)
}
