// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// Decides when to read the network and which paths to publish: events in, actions out.
///
/// A loss is published at once, a return after it has lasted for a while. Times are nanoseconds of
/// any clock that does not jump.
struct PathWatch: Equatable, Sendable {
  struct Timing: Equatable, Sendable {
    /// How long no change may be told before everything is read.
    var quiet: UInt64 = 50_000_000
    /// How long a read waits at most while changes go on.
    var limit: UInt64 = 1_000_000_000
    /// How long a return must last.
    var hold: UInt64 = 1_000_000_000
    /// Some changes are never told, so everything is read at least that often.
    var backstop: UInt64 = 15_000_000_000
    /// After how long a read that failed is tried again; twice as long each time, up to the backstop.
    var retry: UInt64 = 50_000_000
  }

  enum Event: Equatable, Sendable {
    /// Something changed, or what changed was lost.
    case told
    /// The wall clock was set, or the board slept: nothing known before counts.
    case clockJumped
    /// This is the path now.
    case read(NetworkPath)
    /// What to read failed.
    case failed(NetlinkError)
    /// The deadline has come.
    case timeOver
  }

  enum Action: Equatable, Sendable {
    /// Read everything and tell the path with ``Event/read(_:)``, or ``Event/failed(_:)``.
    case read
    case publish(NetworkPath)
  }

  private struct Held: Equatable {
    var path: NetworkPath
    var until: UInt64
  }

  private let timing: Timing
  private var schedule: ReadSchedule
  /// Due from the beginning: the first read is nobody's to ask for.
  private var backstop: UInt64 = 0
  /// After how long the read that failed last is tried again; `nil` where none failed.
  private var retry: UInt64?
  private var held: Held?
  private(set) var published: NetworkPath?

  init(timing: Timing = Timing()) {
    self.timing = timing
    schedule = ReadSchedule(quietNanoseconds: timing.quiet, limitNanoseconds: timing.limit)
  }

  /// When ``Event/timeOver`` is to come, unless something else comes before.
  var deadline: UInt64 {
    // A path is not believed in while a change waits to be read.
    min(schedule.deadline ?? held?.until ?? backstop, backstop)
  }

  mutating func handle(_ event: Event, at now: UInt64) -> [Action] {
    switch event {
    case .told: schedule.changed(at: now)
    case .clockJumped: backstop = now
    case .timeOver: break
    case .read(let path):
      backstop = now &+ timing.backstop
      retry = nil
      if let publication = consider(path, at: now) { return [publication] }
    case .failed(let error):
      // One failure alone is no news: what is known is asked for again before it is doubted.
      let isNews = retry != nil || published == nil
      let wait = min(retry.map { $0 &* 2 } ?? timing.retry, timing.backstop)
      retry = wait
      backstop = now &+ wait
      if isNews, let publication = consider(.unknown(error), at: now) { return [publication] }
    }
    return due(at: now)
  }

  private mutating func consider(_ path: NetworkPath, at now: UInt64) -> Action? {
    guard path != published else {
      held = nil
      return nil
    }
    if path.isSatisfied, let published, !published.isSatisfied {
      held = Held(path: path, until: held?.until ?? now &+ timing.hold)
      return nil
    }
    held = nil
    published = path
    return .publish(path)
  }

  private mutating func due(at now: UInt64) -> [Action] {
    if schedule.takeDue(at: now) || now >= backstop {
      schedule.clear()
      return [.read]
    }
    guard schedule.deadline == nil, let held, now >= held.until else { return [] }
    self.held = nil
    published = held.path
    return [.publish(held.path)]
  }
}
