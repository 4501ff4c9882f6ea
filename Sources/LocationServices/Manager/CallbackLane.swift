// SPDX-License-Identifier: Apache-2.0

/// Runs callbacks on the executor of an actor that the creator of a manager chose.
actor CallbackLane {
  /// Lives as long as the lane, so that its executor does.
  private nonisolated let host: any Actor

  init(host: (any Actor)?) { self.host = host ?? OwnLane() }

  nonisolated var unownedExecutor: UnownedSerialExecutor { host.unownedExecutor }

  func run(_ body: @Sendable () -> Void) { body() }

  private actor OwnLane {}
}
