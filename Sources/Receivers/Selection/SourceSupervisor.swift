// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides which sources of a group run, and which of their words go on.
///
/// A plain value: no clock, no thread, no port. A shell starts and stops runs as told, and tells
/// what they say and how they end. A receiver that is plugged in is read at once unless gpsd
/// claims it; one that fails is tried again with back-off; what goes on is the chosen source's,
/// whole, by ``SourceSelector``.
struct SourceSupervisor: Sendable {
  /// What has happened.
  enum Event: Equatable, Sendable {
    /// Finding receivers has found something out.
    case discovered(DiscoveryEvent, isConfiguredForGPSD: Bool)
    /// A run has said something.
    case said(run: Int, FixSourceEvent)
    /// Finding receivers begins anew: what is there is told again.
    case looksAgain
    /// A run is over: it failed, or its input has ended.
    case ended(run: Int, SourceFailure?)
    /// Others are asked for from here on; `local` as in the beginning.
    case replaced([SourcePlan], takesPluggedIn: Bool, local: GPSDAddress?)
    /// Time has passed: ``SourceSupervisor/deadline``, or any other.
    case tick
  }

  /// What is to be done, in order.
  enum Action: Equatable, Sendable {
    case start(run: Int, SourcePlan)
    /// Its words are of no interest from here on.
    case stop(run: Int)
    case deliver(FixSourceEvent)
    /// Every source has come to its end, and none will be started again; why, where they failed.
    case finish(failures: [String])
  }

  /// More than any board has ports for; also the selector's limit.
  static let memberLimit = 16
  /// Beyond that, what there is no room for is only counted.
  static let waitingLimit = 64
  /// How long no fix may come until the chosen source is called lost: as long as of a gpsd.
  static let silenceNanoseconds = GPSDSession.Options().silenceNanoseconds
  /// A run that lasted so long was healthy: the next failure is a new one.
  static let healthyNanoseconds: Int64 = 10_000_000_000

  /// After how long a port that is read under another name is looked at again.
  static let duplicateNanoseconds: Int64 = 5_000_000_000

  /// Whether receivers that are plugged in join by themselves.
  var takesPluggedIn: Bool
  var members: [String: SourceMember] = [:]
  var selector = SourceSelector()
  /// The member that each run belongs to.
  var owners: [Int: String] = [:]
  /// What is known of the gpsd of this host.
  var gpsd = LocalGPSDState()
  /// What finding receivers has told of.
  var present = PresentReceivers()
  /// Converters that nobody has consented to, by devnode.
  var candidates: [String: DiscoveredReceiver] = [:]
  var discoveryNotice: String?
  var generator: SplitMix64
  /// Whose fix was delivered last.
  var deliveredKey: String?
  /// When the chosen source's last fix came.
  var chosenHeardAt: MonotonicTime?
  /// What was last said to be wrong with all that was asked for.
  var announced: SourceLoss?
  /// What there is no room for, in the order in which it came: read when there is.
  var waiting: [SourceMember] = []
  /// What there was not even room for to wait.
  var droppedCount: UInt64 = 0
  /// Since when no source has been chosen, or the newest receiver has been there.
  var quietSince: MonotonicTime?
  /// What was last said to stop fixes.
  var toldObstacle: String?
  var tickedAt = MonotonicTime(nanoseconds: .min)
  /// Whether any receiver has ever been heard.
  var hadReceiver = false
  private var lastRun = 0

  /// Makes a supervisor that has started nothing.
  init(takesPluggedIn: Bool, seed: UInt64) {
    self.takesPluggedIn = takesPluggedIn
    generator = SplitMix64(seed: seed)
  }

  /// When ``Event/tick`` should come if nothing comes before.
  var deadline: MonotonicTime? {
    let silence = chosenHeardAt?.advanced(byNanoseconds: Self.silenceNanoseconds)
    let own = selector.chosen == nil ? nil : silence
    // Once it has passed nobody can take over but with a fix of its own.
    let failOver = selector.deadline.flatMap { $0 > tickedAt ? $0 : nil }
    return (members.values.map(\.deadline) + [failOver, own, obstacleDeadline]).compactMap { $0 }
      .min()
  }

  /// How things stand.
  var situation: SourceSituation {
    var situation = SourceSituation()
    situation.hadReceiver = hadReceiver || members.values.contains(where: \.isReading)
    situation.notices = notices
    return situation
  }

  /// Begins with the sources that were asked for, or goes on with those that are new.
  ///
  /// - Parameters:
  ///   - plans: What was asked for.
  ///   - local: The gpsd of this host, which joins where receivers that are plugged in do.
  ///   - now: The present reading of the clock.
  /// - Returns: What is to be done.
  mutating func start(
    _ plans: [SourcePlan], local: GPSDAddress?, at now: MonotonicTime
  ) -> [Action] {
    var actions = plans.flatMap { add($0, isNamed: true, at: now) }
    guard let local else { return actions }
    let plan = SourcePlan.gpsd(local)
    if takesPluggedIn { actions += add(plan, isNamed: false, at: now) }
    // Listened to also where nobody needs to know yet what it has.
    if gpsd.memberName == nil, takesPluggedIn || members[plan.name] != nil {
      gpsd.memberName = plan.name
      gpsd.startedAt = now
    }
    return actions
  }

  /// Takes what has happened; gives what is to be done.
  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    if case .discovered(.found(let receiver), _) = event, !knows(receiver) { quietSince = now }
    let actions =
      switch event {
      case .discovered(let event, let isConfigured):
        take(event, isConfiguredForGPSD: isConfigured, at: now)
      case .looksAgain: lookAgain()
      case .replaced(let plans, let takesPluggedIn, let local):
        replace(plans, takesPluggedIn: takesPluggedIn, local: local, at: now)
      case .said(let run, let event): take(event, of: run, at: now)
      case .ended(let run, let failure): end(run, failure, at: now)
      case .tick: tick(now)
      }
    return actions + tellObstacle(at: now)
  }

  // MARK: Runs

  /// Adds what is not there yet, and starts it.
  private mutating func add(
    _ plan: SourcePlan, isNamed: Bool, at now: MonotonicTime
  ) -> [Action] {
    guard members[plan.key] == nil, !waiting.contains(where: { $0.name == plan.key }) else {
      return []
    }
    return add(
      SourceMember(name: plan.key, plan: plan, isNamed: isNamed, phase: .ended), at: now)
  }

  /// Adds a member and starts it, where there is room.
  mutating func add(
    _ member: SourceMember, startsNow: Bool = true, at now: MonotonicTime
  ) -> [Action] {
    guard members.count < Self.memberLimit else {
      if waiting.count < Self.waitingLimit { waiting.append(member) } else { droppedCount &+= 1 }
      return [.deliver(.receiver(member.info(isActive: false)))]
    }
    members[member.name] = member
    return startsNow ? start(member.name, at: now) : []
  }

  /// Starts a run of a member that has none.
  mutating func start(_ name: String, at now: MonotonicTime) -> [Action] {
    guard let plan = members[name]?.plan, members[name]?.run == nil else { return [] }
    lastRun &+= 1
    owners[lastRun] = name
    members[name]?.phase = .running(SourceRun(number: lastRun, startedAt: now))
    return [.start(run: lastRun, plan)]
  }

  /// Stops a member's run, if it has one.
  mutating func stop(_ name: String) -> [Action] {
    guard let run = members[name]?.run else { return [] }
    owners[run.number] = nil
    return [.stop(run: run.number)]
  }
}
