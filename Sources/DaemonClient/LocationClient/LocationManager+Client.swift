// SPDX-License-Identifier: Apache-2.0

internal import LocationClient
internal import LocationServices
internal import Positioning

extension LocationManager {
  /// Sets what is given, and leaves the rest.
  func set(_ properties: LocationClient.Properties) {
    if let accuracy = properties.desiredAccuracy { desiredAccuracy = accuracy }
    if let filter = properties.distanceFilter { distanceFilter = filter.leastChange }
    if let filter = properties.headingFilter { headingFilter = filter.leastChange }
    if let pauses = properties.pausesLocationUpdatesAutomatically {
      pausesLocationUpdatesAutomatically = pauses
    }
  }

  /// Asks for full accuracy, and waits for the answer or the end of the task.
  func awaitTemporaryFullAccuracy(withPurposeKey key: String) async throws(LocationError) {
    let (answers, continuation) = AsyncStream.makeStream(of: LocationError?.self)
    requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
      continuation.yield(error)
      continuation.finish()
    }
    // Ends without an answer where the task is cancelled.
    for await error in answers {
      if let error { throw error }
      return
    }
    throw .promptDeclined
  }
}

extension LocationClient.Properties.Filter {
  /// As a manager has it: `nil` where every value is told.
  fileprivate var leastChange: Double? {
    switch self {
    case .every: nil
    case .atLeast(let change): change
    }
  }
}
