// SPDX-License-Identifier: Apache-2.0

/// How long a plugin that is to stop is waited for.
public struct StopPolicy: Equatable, Hashable, Sendable {
  /// From the end of its input until it is cancelled.
  public var drain: Duration
  /// From the cancel until it is abandoned: left to itself, with nothing that it says heard.
  public var cancel: Duration
  /// How long sinks wait for the last word of gates and stages that are cancelled, where the whole
  /// pipeline stops.
  public var branch: Duration

  /// The longest that a whole pipeline takes to stop.
  public var total: Duration { branch + drain + cancel }

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - drain: From the end of its input until it is cancelled.
  ///   - cancel: From the cancel until it is abandoned.
  ///   - branch: How long sinks wait for the last word of gates and stages.
  public init(
    drain: Duration = .seconds(5), cancel: Duration = .seconds(4), branch: Duration = .seconds(1)
  ) {
    self.drain = drain
    self.cancel = cancel
    self.branch = branch
  }
}
