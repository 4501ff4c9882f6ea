// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The newest of what the daemon has said, and the one reduced location of the board.
///
/// All clients of reduced accuracy get the same location at the same time: whoever connects anew or
/// as another learns nothing more. Its cell is that of the whole board, and outlives the daemon.
struct ServerLatest: Sendable {
  /// More kinds of objects than there are receivers and plugins.
  private static let maxObjects = 64
  /// How old the satellites may be that a new client is told: they come with every few epochs, and
  /// no object says how old they are.
  static let skySeconds = 30.0

  private(set) var fix: Fix?
  private var fixAt: MonotonicTime?
  private var sky: SkyView?
  private var skyAt: MonotonicTime?
  private(set) var objects: [ServerObject] = []

  var reducer = ReducedAccuracy()
  private(set) var reduced: Location?
  private var reducedAt: MonotonicTime?
  /// Counts the reduced locations.
  private(set) var reducedVersion: UInt64 = 0

  /// Takes an epoch; gives whether clients of reduced accuracy are told that it has no position:
  /// each tunnel as it is entered would show the way.
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
    objects.removeAll { $0.isKept(as: object.name, subject) && $0.isForLike(object) }
    objects.append(object)
    if objects.count > Self.maxObjects { objects.removeFirst() }
  }

  /// What was kept of a class is over.
  mutating func end(_ name: String, _ subject: String?) {
    objects.removeAll { kept in
      subject == nil ? kept.name == name : kept.isKept(as: name, subject)
    }
  }

  /// The satellites, where they are not too old to be told.
  func sky(at now: MonotonicTime) -> SkyView? {
    guard let skyAt, now.seconds(since: skyAt) <= Self.skySeconds else { return nil }
    return sky
  }

  /// Nothing that came before is true any more, of one receiver or of all.
  mutating func lose(_ receiver: String?) {
    if receiver == nil || fix?.source == receiver { fix = nil }
    if receiver == nil || sky?.source == receiver { sky = nil }
  }

  /// The location of reduced accuracy that holds now, made anew where it is time.
  ///
  /// Not of a fix that is older than such a location ever is: it has no age of its own, and would
  /// pass for where the board is.
  mutating func reduce(at now: MonotonicTime) -> Location? {
    if let fix, let fixAt, now.seconds(since: fixAt) < ReducedAccuracy.minimumSeconds,
      let location = Location(fix), var next = reducer.take(location, at: now)
    {
      // Its age would tell the time that is coarsened.
      next.receivedAt = nil
      (reduced, reducedAt) = (next, now)
      reducedVersion &+= 1
    }
    guard let reducedAt, now.seconds(since: reducedAt) < ReducedAccuracy.minimumSeconds else {
      return nil
    }
    return reduced
  }

  /// The position that answers a request at full accuracy at once.
  func fresh(within seconds: Double, at now: MonotonicTime) -> Fix? {
    guard let fix, fix.mode > .none, let receivedAt = fix.receivedAt,
      now.seconds(since: receivedAt) <= seconds
    else { return nil }
    return fix
  }
}

extension ServerObject {
  /// Whether it is what is kept of a class about a subject.
  fileprivate func isKept(as name: String, _ subject: String?) -> Bool {
    self.name == name && keeping == .newest(subject: subject)
  }

  /// Whether it is for the same readers; of cells there is one at a time.
  fileprivate func isForLike(_ other: ServerObject) -> Bool {
    if case .cell = audience, case .cell = other.audience { return true }
    return audience == other.audience
  }
}
