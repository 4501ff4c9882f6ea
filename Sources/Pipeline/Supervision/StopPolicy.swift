// SPDX-License-Identifier: Apache-2.0

/// How long a plugin that is to stop is waited for.
public struct StopPolicy: Equatable, Hashable, Sendable {
  /// From the end of its input until it is cancelled.
  public var drain: Duration
  /// From the cancel until it is abandoned: left to itself, with nothing that it says heard.
  public var cancel: Duration

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - drain: From the end of its input until it is cancelled.
  ///   - cancel: From the cancel until it is abandoned.
  public init(drain: Duration = .seconds(5), cancel: Duration = .seconds(5)) {
    self.drain = drain
    self.cancel = cancel
  }
}
