// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// What the program sets, and what can be had.
extension LocationManager {
  /// How precise a one-shot request wants its location; `DesiredAccuracy.best` at first.
  ///
  /// Core Location also chooses its hardware by it. Differs in that it is an enumeration, and in
  /// that nothing but a one-shot request heeds it, save `DesiredAccuracy.reduced`, which gives the
  /// program no more than reduced accuracy, of its own will. Updates come as they come: as in Core
  /// Location, it is no filter.
  public var desiredAccuracy: DesiredAccuracy {
    get { settings.desiredAccuracy }
    set { set { $0.desiredAccuracy = newValue } }
  }

  /// How far in metres the board has to move for the next update; `nil` for none, at first.
  ///
  /// As in Core Location a more precise location comes nevertheless. Differs in that `nil` stands
  /// for none, and not -1.
  public var distanceFilter: Double? {
    get { settings.distanceFilter }
    set { set { $0.distanceFilter = newValue } }
  }

  /// By how many degrees the bow has to turn for the next heading; 1 at first, `nil` for none.
  ///
  /// As in Core Location, 1 at first. Differs in that `nil` stands for none, and not -1.
  public var headingFilter: Double? {
    get { settings.headingFilter }
    set { set { $0.headingFilter = newValue } }
  }

  /// Whether updates end when the board has not moved for a quarter of an hour.
  ///
  /// As in Core Location they do not begin again by themselves. Differs in that it is off at first:
  /// a board on mains power has nothing to save.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { settings.pausesAutomatically }
    set { set { $0.pausesAutomatically = newValue } }
  }

  /// Whether a receiver has said where the bow points, since the manager was made.
  ///
  /// Core Location knows its hardware. Differs in that which receiver is plugged in next, nobody
  /// knows.
  public var headingAvailable: Bool { state.withLock { $0.hasHeading } }

  /// Whether significant changes can be told: always, by the receiver alone.
  ///
  /// Core Location needs a cellular modem for them, and says no without. Differs in that a receiver
  /// is enough.
  public var significantLocationChangeMonitoringAvailable: Bool { true }

  /// Whether regions can be monitored now: with full accuracy, if anything is decided.
  ///
  /// Core Location's `isMonitoringAvailable(for:)` asks by the class of the region and answers for
  /// the hardware. Differs in that there is one class, every receiver can, and the authorization is
  /// what may stand against it.
  public var isRegionMonitoringAvailable: Bool {
    state.withLock { state in
      let authorization = state.machine.authorization
      return !authorization.granted.status.isRefused
        && !(authorization.granted.status.isAuthorized && authorization.isReduced)
    }
  }

  /// The largest radius in metres that a region may have: 10,000 km.
  ///
  /// Core Location's depends on the device, and is -1 where there is none. Differs in that it is
  /// the same for every receiver, since none has a reason for less.
  public var maximumRegionMonitoringDistance: Double { CircularRegion.maximumRadiusMeters }

  private var settings: LocationMachine.Settings { state.withLock { $0.machine.settings } }

  private func set(_ change: (inout LocationMachine.Settings) -> Void) {
    handle(making: { state in
      var settings = state.machine.settings
      change(&settings)
      return .set(settings)
    })
  }
}
