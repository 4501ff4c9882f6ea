// SPDX-License-Identifier: Apache-2.0

internal import LocationClient

/// A main-actor task that is cancelled when this object is released.
final class OwnedTask: Sendable {
  private let task: Task<Void, Never>

  init(_ work: @escaping @MainActor @Sendable () async -> Void) { task = Task { await work() } }

  deinit { task.cancel() }
}

/// Location updates that stop when this object is released.
final class OwnedUpdates: Sendable {
  private let client: LocationClient

  init(_ client: LocationClient) {
    self.client = client
    client.startUpdatingLocation()
  }

  deinit { client.stopUpdatingLocation() }
}
