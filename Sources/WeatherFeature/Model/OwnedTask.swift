// SPDX-License-Identifier: Apache-2.0

internal import LocationClient

/// Work on the main actor that is cancelled when nobody holds this any more.
final class OwnedTask: Sendable {
  private let task: Task<Void, Never>

  init(_ work: @escaping @MainActor @Sendable () async -> Void) { task = Task { await work() } }

  deinit { task.cancel() }
}

/// Location updates that run for as long as somebody holds this.
final class OwnedUpdates: Sendable {
  private let client: LocationClient

  init(_ client: LocationClient) {
    self.client = client
    client.startUpdatingLocation()
  }

  deinit { client.stopUpdatingLocation() }
}
