// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import Positioning

/// What a program does by itself where there is no daemon: decide, and read a receiver.
///
/// That is the cooperative mode: it binds this program, and no other.
public struct InProcess: Sendable {
  /// Makes what decides, each time that there turns out to be no daemon; let go when one comes.
  public var policy: @Sendable () -> any AuthorizationPolicy
  /// Makes what fixes come from, each time that it is run.
  public var source: @Sendable () -> any FixSource

  /// Describes it; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - policy: Decides; by default the files of the board.
  ///   - source: Makes what fixes come from.
  public init(
    policy: @escaping @Sendable () -> any AuthorizationPolicy = { PolicyFiles() },
    source: @escaping @Sendable () -> any FixSource
  ) {
    self.policy = policy
    self.source = source
  }
}
