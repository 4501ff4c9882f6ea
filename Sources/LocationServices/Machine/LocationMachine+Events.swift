// SPDX-License-Identifier: Apache-2.0

internal import Positioning

extension LocationMachine {
  enum Event: Equatable, Sendable {
    /// A delegate was set.
    case attached
    case requestAuthorization(AuthorizationRequest)
    /// The policy answered the request of that number.
    case answered(UInt64, AuthorizationAnswer)
    /// The policy spoke unasked: revoked, expired, locked, widened, or answered a pending request.
    case policy(AuthorizationUpdate)
    /// The caller waits for the answer under that identifier.
    case requestFullAccuracy(id: UInt64, key: String)
    case answeredFullAccuracy(number: UInt64, id: UInt64, FullAccuracyAnswer)
    case activityBegan(reason: String)
    case activityEnded
    /// The program is gone, or has given its manager up.
    case disconnected
    case set(Settings)
    /// Never `oneShot`, `regions` nor `liveUpdates`, which have events of their own.
    case start(LocationServiceKind)
    case stop(LocationServiceKind)
    case requestLocation
    case startMonitoring(CircularRegion)
    case stopMonitoring(String)
    case requestState(CircularRegion)
    case location(Location)
    /// The receiver lives and has no position.
    case noPosition(Fix)
    /// The source failed.
    case positionLost
    /// There is a receiver, of which no fix is known yet.
    case receiverFound
    /// So many satellites are in view.
    case sky(Int)
    case heading(Heading)
    /// So many listen to live updates, and so many to their reasons alone.
    case listenersChanged(Int, reasons: Int = 0)
    case timedOut(Timer)
  }

  /// What a time can be over for.
  enum Timer: Hashable, Sendable {
    /// The one-shot request of that number.
    case oneShot(UInt64)
    /// Full accuracy by the request of that number.
    case fullAccuracy(UInt64)
    /// A change of the reception, which a client of reduced accuracy hears of late.
    case reducedReception
    /// The first word of whoever was asked for locations.
    case reception
  }

  enum Action: Equatable, Sendable {
    case call(LocationCallback)
    case ask(AuthorizationRequest, purpose: String, number: UInt64)
    case askFullAccuracy(key: String, number: UInt64, id: UInt64)
    /// Send ``Event/timedOut(_:)`` when that time is over; `nil` for the manager's own time.
    case startTimer(Timer, Duration?)
    /// Locations that wait to be delivered must not be any more.
    case dropLocations
    /// Nor must anything else that tells where the board is.
    case dropKnowledge
    /// Give this to whoever listens.
    case update(LocationUpdate)
    /// Tell the policy.
    case note(ServiceUse)
    /// What is watched has changed, or where the board is with regard to it.
    case monitoringChanged

    var isUpdate: Bool { if case .update = self { true } else { false } }

    /// What the policy is told; `nil` for what is no use.
    var use: ServiceUse? { if case .note(let use) = self { use } else { nil } }
  }
}
