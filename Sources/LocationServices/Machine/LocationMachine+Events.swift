// SPDX-License-Identifier: Apache-2.0

internal import Positioning

extension LocationMachine {
  /// The settings of the program.
  struct Settings: Equatable, Sendable {
    var desiredAccuracy = DesiredAccuracy.best
    /// The minimum distance in metres between two updates; `nil` disables the filter.
    var distanceFilter: Double?
    /// The minimum change in degrees between two headings; `nil` disables the filter.
    var headingFilter: Double? = 1
    var pausesAutomatically = false
  }

  enum Event: Equatable, Sendable {
    /// A delegate was set.
    case attached
    case requestAuthorization(AuthorizationRequest)
    /// The policy answered the request with this number.
    case answered(UInt64, AuthorizationAnswer)
    /// The policy sent an update by itself, or a late answer.
    case policy(AuthorizationUpdate)
    /// A full-accuracy request; `id` identifies the completion of the caller.
    case requestFullAccuracy(id: UInt64, key: String)
    case answeredFullAccuracy(number: UInt64, id: UInt64, FullAccuracyAnswer)
    case activityBegan(reason: String)
    case activityEnded
    /// The program has ended or has released its manager.
    case disconnected
    case set(Settings)
    /// Start a service other than `oneShot`, `regions` and `liveUpdates`, which have other events.
    case start(LocationServiceKind)
    case stop(LocationServiceKind)
    case requestLocation
    case startMonitoring(CircularRegion)
    case stopMonitoring(String)
    case requestState(CircularRegion)
    case location(Location)
    /// The receiver works but has no position.
    case noPosition(Fix)
    /// The source failed.
    case positionLost
    /// A receiver was found; it has not reported a fix yet.
    case receiverFound
    /// The number of satellites in view.
    case sky(Int)
    case heading(Heading)
    /// The numbers of listeners to live updates and of listeners that receive diagnostics only.
    case listenersChanged(Int, reasons: Int = 0)
    case timedOut(Timer)
  }

  /// The timers of the machine.
  enum Timer: Hashable, Sendable {
    /// Timeout of the one-shot request with this number.
    case oneShot(UInt64)
    /// End of the temporary full accuracy granted to the request with this number.
    case fullAccuracy(UInt64)
    /// End of the delay before a changed reception is reported to a client with reduced accuracy.
    case reducedReception
    /// Time limit for the first report of the source after locations were requested.
    case reception
  }

  enum Action: Equatable, Sendable {
    case call(LocationCallback)
    case ask(AuthorizationRequest, purpose: String, number: UInt64)
    case askFullAccuracy(key: String, number: UInt64, id: UInt64)
    /// Send ``Event/timedOut(_:)`` after the duration; `nil` means the manager's request timeout.
    case startTimer(Timer, Duration?)
    /// Drop queued locations.
    case dropLocations
    /// Drop all queued callbacks that reveal a position.
    case dropPositionData
    /// Send the update to the listeners.
    case update(LocationUpdate)
    /// Pass the service use to the policy.
    case note(ServiceUse)
    /// Store the monitoring state, which has changed.
    case monitoringChanged

    var isUpdate: Bool { if case .update = self { true } else { false } }

    /// The service use to pass to the policy; `nil` for other actions.
    var use: ServiceUse? { if case .note(let use) = self { use } else { nil } }
  }
}
