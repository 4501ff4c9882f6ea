// SPDX-License-Identifier: Apache-2.0

/// Runs callbacks on the executor of the actor that the manager's creator chose.
actor CallbackActor {
  /// Keeps the actor alive, because `unownedExecutor` does not retain it.
  private nonisolated let host: any Actor

  init(host: (any Actor)?) { self.host = host ?? DefaultActor() }

  nonisolated var unownedExecutor: UnownedSerialExecutor { host.unownedExecutor }

  func run(_ body: @Sendable () -> Void) { body() }

  private actor DefaultActor {}
}
