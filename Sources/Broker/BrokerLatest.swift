// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The newest of what the daemon has said, and the one reduced location of the board.
///
/// All clients of reduced accuracy get the same location at the same time: whoever connects anew or
/// as another learns nothing more. Its cell is that of the whole board, and outlives the daemon.
struct BrokerLatest: Sendable {
  /// More kinds of objects than there are receivers and plugins.
  private static let mostObjects = 64

  private(set) var fix: Fix?
  private(set) var sky: SkyView?
  private(set) var objects: [BrokerObject] = []

  var reducer = ReducedAccuracy()
  private(set) var reduced: Location?
  private var reducedAt: MonotonicTime?
  /// Counts the reduced locations.
  private(set) var reducedVersion: UInt64 = 0

  /// Takes an epoch; gives whether clients of reduced accuracy are told that it has no position:
  /// each tunnel as it is entered would show the way.
  mutating func take(_ fix: Fix, at now: MonotonicTime) -> Bool {
    self.fix = fix
    return fix.mode == .none && reducer.passes(withoutPosition: fix, at: now)
  }

  mutating func take(_ sky: SkyView) { self.sky = sky }

  mutating func take(_ object: BrokerObject) {
    guard let kind = object.keptAs else { return }
    objects.removeAll { $0.keptAs == kind }
    objects.append(object)
    if objects.count > Self.mostObjects { objects.removeFirst() }
  }

  /// Nothing that came before is true any more, of one receiver or of all.
  mutating func lose(_ receiver: String?) {
    if receiver == nil || fix?.source == receiver { fix = nil }
    if receiver == nil || sky?.source == receiver { sky = nil }
  }

  /// The location of reduced accuracy that holds now, made anew where it is time.
  mutating func reduce(at now: MonotonicTime) -> Location? {
    if let fix, let location = Location(fix), var next = reducer.take(location, at: now) {
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
