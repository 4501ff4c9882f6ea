// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The latest published values, and the board's location with reduced accuracy.
///
/// All clients with reduced accuracy receive the same location, so that a client learns nothing
/// more by reconnecting or by connecting as another user. The location is the centre of a grid
/// cell. All programs on the board share the cell, which is stored across restarts of the daemon.
struct ServerLatest: Sendable {
  /// Maximum number of stored objects.
  ///
  /// Normally there are fewer: about one object for each receiver and plugin.
  private static let maxObjects = 64
  /// The maximum age of the sky view that is sent to a new stream, in seconds.
  ///
  /// Receivers report the satellites every few epochs, and the `SKY` object has no field for its
  /// age.
  static let skySeconds = 30.0

  private(set) var fix: Fix?
  private var fixAt: MonotonicTime?
  /// The last fix with a position, even if it is old or its receiver is lost.
  private var lastPosition: Fix?
  /// The source of the last fix with a position, with its stable name if it has one.
  private var lastReceiver: (source: String?, stableName: String?) = (nil, nil)
  private var sky: SkyView?
  private var skyAt: MonotonicTime?
  private(set) var objects: [ServerObject] = []
  /// The positions of the last hour.
  private(set) var track = TrackRing()
  /// The receivers, with the time at which each was activated.
  private(set) var devices: [GPSDDevice] = []
  /// The receivers whose sentences were sent since their last fix.
  private var sentenceSources: Set<String> = []

  private var reducer = ReducedAccuracy()
  private(set) var reduced: Location?
  private var reducedAt: MonotonicTime?
  /// The number of reduced locations published so far.
  private(set) var reducedVersion: UInt64 = 0

  /// The memory of the reduced location, which all programs on the board share.
  var reducedMemory: ReducedAccuracy.Memory {
    get { reducer.memory }
    set { reducer.memory = newValue }
  }

  /// Whether the reduced location may be updated now.
  func isReductionDue(at now: MonotonicTime) -> Bool { reducer.isDue(at: now) }

  /// Stores an epoch.
  ///
  /// Returns true if clients with reduced accuracy should be notified that the epoch has no
  /// position.
  ///
  /// The rate of these notifications is limited, because a notification at each tunnel would reveal
  /// the route.
  mutating func take(_ fix: Fix, at now: MonotonicTime) -> Bool {
    self.fix = fix
    fixAt = fix.receivedAt ?? now
    if fix.mode > .none {
      lastPosition = fix
      lastPosition?.receivedAt = fixAt
      track.take(fix, at: now)
      lastReceiver = (fix.source, stableName(of: fix.source))
    }
    return fix.mode == .none && reducer.passes(withoutPosition: fix, at: now)
  }

  mutating func take(_ sky: SkyView, at now: MonotonicTime) {
    self.sky = sky
    skyAt = sky.receivedAt ?? now
  }

  /// Stores a receiver; a receiver that is already active keeps its time of activation.
  mutating func take(_ device: GPSDDevice) {
    guard let index = devices.firstIndex(where: { $0.receiver.name == device.receiver.name })
    else {
      devices.append(device)
      if devices.count > Self.maxObjects { devices.removeFirst() }
      return
    }
    let activated = devices[index].activated
    devices[index] = device
    if device.receiver.isActive, activated != nil { devices[index].activated = activated }
  }

  /// The stable name of a source of fixes, which the source of the last position keeps after an
  /// unplug; `nil` if it has none.
  func stableName(of source: String?) -> String? {
    if let device = devices.first(where: { $0.receiver.name == source }) {
      return device.receiver.stableName
    }
    return lastReceiver.source == source ? lastReceiver.stableName : nil
  }

  func hasDevice(_ name: String) -> Bool { devices.contains { $0.receiver.name == name } }

  mutating func removeDevices(_ names: [String]) {
    devices.removeAll { names.contains($0.receiver.name) }
  }

  /// Records that sentences of a receiver were sent.
  mutating func markSentences(of source: String) {
    if sentenceSources.count < Self.maxObjects { sentenceSources.insert(source) }
  }

  /// Returns whether sentences of a receiver were sent since the last call.
  mutating func takeSentenceMark(of source: String) -> Bool {
    sentenceSources.remove(source) != nil
  }

  mutating func take(_ object: ServerObject) {
    if case .last(let subject) = object.keeping { removeObjects(object.name, subject) }
    guard case .newest(let subject) = object.keeping else { return }
    objects.removeAll { $0.isStored(as: object.name, subject) && $0.hasSameAudience(as: object) }
    objects.append(object)
    if objects.count > Self.maxObjects { objects.removeFirst() }
  }

  /// Removes the stored objects with a class and a subject, or all objects of the class if the
  /// subject is `nil`.
  mutating func removeObjects(_ name: String, _ subject: String?) {
    objects.removeAll { object in
      subject == nil ? object.name == name : object.isStored(as: name, subject)
    }
  }

  /// Returns the newest object of a class that a client with this access may read; `nil` if there is
  /// none that is valid.
  func object(_ name: String, for access: ServerClient.Access, at now: MonotonicTime) -> [UInt8]? {
    objects.last { $0.name == name && $0.isReadable(access, in: reduced?.coordinate) }?
      .json(at: now)
  }

  /// The satellites in view; `nil` if they are older than ``skySeconds``.
  func sky(at now: MonotonicTime) -> SkyView? {
    guard let skyAt, now.seconds(since: skyAt) <= Self.skySeconds else { return nil }
    return sky
  }

  /// Removes the fix and the satellites of a lost receiver, or of all receivers if `nil`.
  mutating func removeValues(of receiver: String?) {
    if receiver == nil || fix?.source == receiver { fix = nil }
    if receiver == nil || sky?.source == receiver { sky = nil }
  }

  /// The current location with reduced accuracy, updated if an update is due.
  ///
  /// Does not use a fix that is older than the update interval: a reduced location has no age, so
  /// an old location would look current.
  mutating func reduce(at now: MonotonicTime) -> Location? {
    if let fix, let fixAt, now.seconds(since: fixAt) < ReducedAccuracy.minimumSeconds,
      let location = Location(fix), var newLocation = reducer.take(location, at: now)
    {
      // Remove the time of reception: the age would reveal the exact time, which is truncated on
      // purpose.
      newLocation.receivedAt = nil
      (reduced, reducedAt) = (newLocation, now)
      reducedVersion &+= 1
    }
    guard let reducedAt, now.seconds(since: reducedAt) < ReducedAccuracy.minimumSeconds else {
      return nil
    }
    return reduced
  }

  /// The last epoch, with or without a position, if it was received at most `seconds` ago.
  func epoch(within seconds: Double, at now: MonotonicTime) -> Fix? {
    guard let fix, let fixAt, now.seconds(since: fixAt) <= seconds else { return nil }
    return fix
  }

  /// The last position if it is at most `seconds` old, for requests with full accuracy.
  func fresh(within seconds: Double, at now: MonotonicTime) -> Fix? {
    guard let fix, fix.mode > .none, let receivedAt = fix.receivedAt,
      now.seconds(since: receivedAt) <= seconds
    else { return nil }
    return fix
  }

  /// The last position if it is at most `seconds` old, for requests that accept an old position.
  ///
  /// With reduced accuracy, this is the last location that was sent with reduced accuracy: any
  /// other location would reveal more than the streams do.
  func last(within seconds: Double, isReduced: Bool, at now: MonotonicTime) -> Fix? {
    if isReduced {
      guard let reduced, let reducedAt, now.seconds(since: reducedAt) <= seconds else { return nil }
      return Fix(reduced)
    }
    guard let age = lastPosition?.ageSeconds(at: now), age <= seconds else { return nil }
    return lastPosition
  }
}

extension ServerObject {
  /// Whether the object is stored and has this class and subject.
  fileprivate func isStored(as name: String, _ subject: String?) -> Bool {
    self.name == name && keeping == .newest(subject: subject)
  }

  /// Whether two objects have the same audience.
  ///
  /// All cells are treated as the same audience, because only one cell is current.
  fileprivate func hasSameAudience(as other: ServerObject) -> Bool {
    if case .cell = audience, case .cell = other.audience { return true }
    return audience == other.audience
  }
}
