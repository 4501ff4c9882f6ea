// SPDX-License-Identifier: Apache-2.0

/// The deadlines for stopping a plugin or a pipeline.
public struct StopPolicy: Equatable, Hashable, Sendable {
  /// The time from the end of the plugin's input until the plugin is cancelled.
  public var drain: Duration
  /// The time from the cancel until the plugin is abandoned and its calls are ignored.
  public var cancel: Duration
  /// The time for which sinks wait for the last results of cancelled gates and stages when the
  /// whole pipeline stops.
  public var branch: Duration

  /// The maximum time that a whole pipeline takes to stop.
  public var total: Duration { branch + drain + cancel }

  /// Creates a policy.
  public init(
    drain: Duration = .seconds(5), cancel: Duration = .seconds(4), branch: Duration = .seconds(1)
  ) {
    self.drain = drain
    self.cancel = cancel
    self.branch = branch
  }
}
