// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The latest published values, and the board's location with reduced accuracy.
///
/// All clients with reduced accuracy get the same location, so that reconnecting, or connecting as
/// another user, reveals nothing more. The cell is shared by all programs of the board, and is
/// stored across restarts of the daemon.
struct ServerLatest: Sendable {
  /// Maximum number of stored objects.
  ///
  /// There are normally fewer receivers and plugins.
  private static let maxObjects = 64
  /// Maximum age of the satellites that a new stream gets, in seconds.
  ///
  /// Receivers report them every few epochs, and the object has no field for its age.
  static let skySeconds = 30.0

  private(set) var fix: Fix?
  private var fixAt: MonotonicTime?
  private var sky: SkyView?
  private var skyAt: MonotonicTime?
  private(set) var objects: [ServerObject] = []

  var reducer = ReducedAccuracy()
  private(set) var reduced: Location?
  private var reducedAt: MonotonicTime?
  /// Number of reduced locations so far.
  private(set) var reducedVersion: UInt64 = 0

  /// Stores an epoch, and returns whether to notify clients with reduced accuracy that it has no
  /// position.
  ///
  /// These notifications are rate-limited, since each entry into a tunnel would reveal the route.
  mutating func take(_ fix: Fix, at now: MonotonicTime) -> Bool {
    self.fix = fix
    fixAt = fix.receivedAt ?? now
    return fix.mode == .none && reducer.passes(withoutPosition: fix, at: now)
  }

  mutating func take(_ sky: SkyView, at now: MonotonicTime) {
    self.sky = sky
    skyAt = sky.receivedAt ?? now
  }

  mutating func take(_ object: ServerObject) {
    guard case .newest(let subject) = object.keeping else { return }
    objects.removeAll { $0.isStored(as: object.name, subject) && $0.hasSameAudience(as: object) }
    objects.append(object)
    if objects.count > Self.maxObjects { objects.removeFirst() }
  }

  /// Removes the stored objects of a class: those about one subject, or all if `nil`.
  mutating func removeObjects(_ name: String, _ subject: String?) {
    objects.removeAll { object in
      subject == nil ? object.name == name : object.isStored(as: name, subject)
    }
  }

  /// The satellites; `nil` if they are older than ``skySeconds``.
  func sky(at now: MonotonicTime) -> SkyView? {
    guard let skyAt, now.seconds(since: skyAt) <= Self.skySeconds else { return nil }
    return sky
  }

  /// Removes the fix and the satellites of a lost receiver, or of all if `nil`.
  mutating func removeValues(of receiver: String?) {
    if receiver == nil || fix?.source == receiver { fix = nil }
    if receiver == nil || sky?.source == receiver { sky = nil }
  }

  /// The current location with reduced accuracy, updated if an update is due.
  ///
  /// A fix older than the update interval is not used: a reduced location has no age, so an old one
  /// would look current.
  mutating func reduce(at now: MonotonicTime) -> Location? {
    if let fix, let fixAt, now.seconds(since: fixAt) < ReducedAccuracy.minimumSeconds,
      let location = Location(fix), var next = reducer.take(location, at: now)
    {
      // Its age would reveal the exact time, which is coarsened on purpose.
      next.receivedAt = nil
      (reduced, reducedAt) = (next, now)
      reducedVersion &+= 1
    }
    guard let reducedAt, now.seconds(since: reducedAt) < ReducedAccuracy.minimumSeconds else {
      return nil
    }
    return reduced
  }

  /// The last position if it is at most `seconds` old, for requests with full accuracy.
  func fresh(within seconds: Double, at now: MonotonicTime) -> Fix? {
    guard let fix, fix.mode > .none, let receivedAt = fix.receivedAt,
      now.seconds(since: receivedAt) <= seconds
    else { return nil }
    return fix
  }
}

extension ServerObject {
  /// Whether the object is stored under a class and a subject.
  fileprivate func isStored(as name: String, _ subject: String?) -> Bool {
    self.name == name && keeping == .newest(subject: subject)
  }

  /// Whether two objects have the same audience.
  ///
  /// All cells count as one, since only one is current.
  fileprivate func hasSameAudience(as other: ServerObject) -> Bool {
    if case .cell = audience, case .cell = other.audience { return true }
    return audience == other.audience
  }
}
