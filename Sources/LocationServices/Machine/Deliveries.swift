// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The callbacks queued for the delegate, and the values last delivered to it.
///
/// The properties of the manager change when a callback is dequeued, so that they always agree with
/// the callbacks.
struct Deliveries: Sendable {
  private(set) var queue: CallbackQueue
  private(set) var reported: Authorization
  private(set) var location: Location?
  private(set) var heading: Heading?

  init(reported: Authorization, limit: Int = 64) {
    self.reported = reported
    queue = CallbackQueue(limit: limit)
  }

  /// Applies an action of the machine; returns the callback that was dropped on overflow, if any.
  @discardableResult
  mutating func take(_ action: LocationMachine.Action) -> LocationCallback? {
    switch action {
    case .call(let callback): return queue.append(callback)
    case .dropLocations: queue.dropLocations()
    case .dropPositionData: queue.dropPositionData()
    case .ask, .askFullAccuracy, .startTimer, .update, .note, .monitoringChanged: break
    }
    return nil
  }

  mutating func dropForNewDelegate() { queue.dropForNewDelegate() }

  mutating func next() -> LocationCallback? {
    guard let callback = queue.next() else { return nil }
    switch callback {
    case .didChangeAuthorization(let authorization):
      let isNarrowed =
        reported.accuracy == .fullAccuracy && authorization.accuracy == .reducedAccuracy
      if isNarrowed || !authorization.status.isAuthorized { (location, heading) = (nil, nil) }
      reported = authorization
    case .didUpdateLocations(let locations): location = locations.last
    case .didUpdateHeading(let new): heading = new
    default: break
    }
    return callback
  }
}
