// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// Decides what a client of gpsd does: when to connect, what to deliver, and when to call a
/// receiver lost, which gpsd does not do.
///
/// A plain value: no clock, no thread, no socket. A shell carries out its actions and tells it
/// what became of them.
struct GPSDSession: Sendable {
  /// Where the session stands.
  ///
  /// ``Event/readFailed`` leads from every connected state to *backingOff*.
  enum State: Equatable, Sendable {
    /// Nothing has begun. Next: *connecting*.
    case idle
    /// A connection is being made. Next: *handshaking*, *backingOff*.
    case connecting
    /// Connected, and gpsd has not said which version it is. Next: *watching* with VERSION;
    /// *backingOff* where that is of a protocol that cannot be read, does not come by then, or
    /// something comes that no gpsd says.
    case handshaking(until: MonotonicTime)
    /// TPVs come or are waited for. Next: *silent* by then without any.
    case watching(until: MonotonicTime)
    /// Connected, and no receiver says anything: gpsd is asked now and then whether it lives.
    /// Next: *watching* with a TPV; *backingOff* where gpsd does not answer either.
    case silent(Probe)
    /// Nothing is there to connect to. Next: *connecting*.
    case backingOff(until: MonotonicTime)
  }

  /// Whether gpsd has been asked for a sign of life.
  enum Probe: Equatable, Sendable {
    case asked(until: MonotonicTime)
    case answered(nextAt: MonotonicTime)
  }

  /// What has happened.
  enum Event: Equatable, Sendable {
    case connected
    case connectFailed(GPSDTrouble)
    case report(GPSDReport)
    case readFailed
    /// Nobody looked for a while: what waits to be read may be as old as that.
    case stalled
    /// All that had waited has been read.
    case caughtUp
    /// Time has passed: ``GPSDSession/deadline``, or any other.
    case tick
  }

  /// What is to be done, in order.
  enum Action: Equatable, Sendable {
    /// Connect; answered by ``Event/connected`` or ``Event/connectFailed(_:)``.
    case connect
    /// Ask for the version, which a gpsd tells unasked, and other servers answer to as well.
    case ask
    /// Ask for reports.
    case watch
    /// Ask for the list of devices, which any living gpsd answers.
    case probe
    /// End the connection.
    case close
    case deliver(FixSourceEvent)
  }

  /// What can be chosen.
  struct Options: Equatable, Sendable {
    /// How long no TPV may come until the receiver counts as lost.
    ///
    /// Half a second less than the five within which it is to be said: a timer comes late.
    var silenceNanoseconds: Int64 = 4_500_000_000
    /// How long gpsd may take to say anything: it is one thread, and while it looks for a
    /// receiver's speed it answers nobody (4.3 s were measured).
    var patienceNanoseconds: Int64 = 10_000_000_000
    /// How long nothing may come after a connection is made until it is asked who is there.
    var askNanoseconds: Int64 = 2_000_000_000
    /// How long all addresses of the host together may take to answer.
    var connectNanoseconds: Int64 = 4_000_000_000
    /// At most two seconds: a gpsd that is back is found before its receiver has a fix.
    var backOff = BackOff(firstNanoseconds: 100_000_000, maxNanoseconds: 2_000_000_000)
  }

  /// gpsd's own protocol number; it has been 3 since 2010.
  static let protocolMajor = 3

  let address: String
  let options: Options
  private(set) var state = State.idle
  private(set) var counters = GPSDCounters()
  /// When to ask who is there; `nil` where that is known, or was asked.
  private var askAt: MonotonicTime?
  private var backOff: BackOff
  private var generator: SplitMix64
  private var receivers: GPSDReceivers
  private var notices = GPSDNoticeBudget()
  /// Whether the last word to whoever listens was that nothing comes.
  private var isLossAnnounced = false
  /// Whether what is read is what had waited while nobody looked.
  private var isCatchingUp = false

  /// Makes a session that has not begun.
  init(address: String, options: Options = Options(), seed: UInt64) {
    self.address = address
    self.options = options
    backOff = options.backOff
    generator = SplitMix64(seed: seed)
    receivers = GPSDReceivers(address: address, silenceNanoseconds: options.silenceNanoseconds)
  }

  /// When ``Event/tick`` should come if nothing comes before.
  var deadline: MonotonicTime? {
    let next: MonotonicTime? =
      switch state {
      case .idle, .connecting: nil
      case .handshaking(let until): min(until, askAt ?? until)
      case .watching(let until), .backingOff(let until): until
      case .silent(.asked(let until)): until
      case .silent(.answered(let nextAt)): nextAt
      }
    return [next, receivers.deadline].compactMap { $0 }.min()
  }

  /// Begins.
  mutating func start() -> [Action] {
    guard state == .idle else { return [] }
    state = .connecting
    return [.connect]
  }

  /// Takes what has happened; gives what is to be done.
  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    switch (state, event) {
    case (.connecting, .connected):
      state = .handshaking(until: now.advanced(byNanoseconds: options.patienceNanoseconds))
      askAt = now.advanced(byNanoseconds: options.askNanoseconds)
      return []
    case (.connecting, .connectFailed(let trouble)): return retreat(trouble, at: now)
    case (.handshaking, .report(let report)), (.watching, .report(let report)),
      (.silent, .report(let report)):
      counters.lines &+= 1
      // Woken late, as after a suspend, what is there to be read is older than the silence.
      return overdue(now) + take(report, at: now)
    case (.handshaking, .readFailed): return [.close] + retreat(.hungUp, at: now)
    case (.watching, .readFailed), (.silent, .readFailed):
      return [.close] + retreat(.left, at: now)
    case (.watching, .stalled), (.silent, .stalled): return stall(now)
    case (_, .caughtUp):
      isCatchingUp = false
      return []
    case (_, .tick): return tick(now)
    // A report that was on its way when the connection was given up.
    case (_, .connected), (_, .connectFailed), (_, .report), (_, .readFailed), (_, .stalled):
      return []
    }
  }
}

// MARK: Connection

extension GPSDSession {
  private mutating func tick(_ now: MonotonicTime) -> [Action] {
    switch state {
    case .idle, .connecting: return []
    case .backingOff(let until):
      guard now >= until else { return [] }
      state = .connecting
      return [.connect]
    case .handshaking(let until):
      guard now < until else {
        let patience = options.patienceNanoseconds / 1_000_000
        return [.close] + retreat(.noGreeting(milliseconds: patience), at: now)
      }
      guard let askAt, now >= askAt else { return [] }
      self.askAt = nil
      return [.ask]
    case .watching, .silent:
      let events = receivers.tick(now, counters: &counters)
      var actions = events.map(Action.deliver)
      // One of several fell silent: the list says whether it is still there.
      if events.contains(where: { if case .lost = $0 { true } else { false } }) {
        actions.append(.probe)
      }
      actions += listen(now)
      return actions
    }
  }

  /// What should have been done before a report is taken.
  private mutating func overdue(_ now: MonotonicTime) -> [Action] {
    guard case .watching = state, let deadline, now >= deadline else { return [] }
    return tick(now)
  }

  /// Holds what comes next against the time that nobody looked, as after a loss, and says nothing
  /// of one: whether there was any is seen by what had waited.
  private mutating func stall(_ now: MonotonicTime) -> [Action] {
    let actions = overdue(now)
    receivers.loseAll(at: now)
    isCatchingUp = true
    return actions
  }

  /// Judges a silence.
  private mutating func listen(_ now: MonotonicTime) -> [Action] {
    switch state {
    case .watching(let until):
      guard now >= until else { return [] }
      state = .silent(.asked(until: now.advanced(byNanoseconds: options.patienceNanoseconds)))
      let text =
        "no position report from gpsd for \(seconds(options.silenceNanoseconds)) s. See what it "
        + "has: gpspipe -w \(address)"
      return announce(.silent, text, at: now) + [.probe]
    case .silent(.asked(let until)):
      guard now >= until else { return [] }
      return [.close] + retreat(.mute, at: now)
    case .silent(.answered(let nextAt)):
      guard now >= nextAt else { return [] }
      state = .silent(.asked(until: now.advanced(byNanoseconds: options.patienceNanoseconds)))
      return [.probe]
    case .idle, .connecting, .handshaking, .backingOff: return []
    }
  }

  /// Gives up the connection, forgets what was open, and sets the time for the next attempt.
  private mutating func retreat(_ trouble: GPSDTrouble, at now: MonotonicTime) -> [Action] {
    receivers.loseAll(at: now)
    isCatchingUp = false
    let wait = backOff.next(using: &generator)
    state = .backingOff(until: now.advanced(byNanoseconds: wait))
    return announce(trouble.reason, trouble.text, at: now)
  }

  /// Says that nothing comes, unless that was the last thing said.
  private mutating func announce(
    _ reason: SourceLoss.Reason, _ detail: String?, at now: MonotonicTime
  ) -> [Action] {
    guard !isLossAnnounced else { return [] }
    isLossAnnounced = true
    counters.losses &+= 1
    return [.deliver(.lost(SourceLoss(reason, detail: detail, at: now)))]
  }

  private func seconds(_ nanoseconds: Int64) -> String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)" : "\(Double(nanoseconds) / 1e9)"
  }
}

// MARK: Reports

extension GPSDSession {
  private mutating func take(_ report: GPSDReport, at now: MonotonicTime) -> [Action] {
    if case .silent(.asked) = state {
      // Whatever it says, it lives.
      state = .silent(
        .answered(nextAt: now.advanced(byNanoseconds: options.silenceNanoseconds)))
    }
    switch report {
    case .version(let release, let major, _): return greet(release, major, at: now)
    case .position, .sky, .device, .devices:
      if case .handshaking = state { return [] }
    case .malformed(let said):
      counters.protocolErrors &+= 1
      // A server that greets is known by it; one that does not, by how it takes what it is asked.
      if case .handshaking = state {
        return [.close] + retreat(.stranger(GPSDTrouble.excerpt(of: said)), at: now)
      }
    case .error: counters.protocolErrors &+= 1
    case .other: break
    }
    switch report {
    case .position where isCatchingUp:
      // No position any more, and yet it says that nobody was silent meanwhile.
      counters.stalePositions &+= 1
      if case .watching = state {
        state = .watching(until: now.advanced(byNanoseconds: options.silenceNanoseconds))
      }
      return []
    case .sky where isCatchingUp: return []
    case .position(let device, let position): return take(position, of: device, at: now)
    case .sky(let device, let sky):
      return receivers.take(sky, of: device, at: now, counters: &counters).map(Action.deliver)
    case .devices(let list, let isWhole):
      return limited(take(list, isWhole: isWhole, at: now), at: now)
    case .device(let receiver): return limited(take(receiver, at: now), at: now)
    case .version, .error, .other, .malformed: return []
    }
  }

  private mutating func greet(
    _ release: String, _ major: Int, at now: MonotonicTime
  ) -> [Action] {
    guard case .handshaking = state else { return [] }
    guard major == Self.protocolMajor else {
      counters.protocolErrors &+= 1
      return [.close]
        + retreat(.version(release: release, protocolMajor: major), at: now)
    }
    counters.connections &+= 1
    receivers.forgetAll()
    isLossAnnounced = false
    state = .watching(until: now.advanced(byNanoseconds: options.silenceNanoseconds))
    let server = SourceServer(address: address, release: release.isEmpty ? nil : release)
    return [.watch, .deliver(.connected(server))]
  }

  private mutating func take(
    _ position: FixReport, of device: String, at now: MonotonicTime
  ) -> [Action] {
    let events = receivers.take(position, of: device, at: now, counters: &counters)
    // One that is about the time before a loss is no sign of life of the receiver.
    guard let events else { return [] }
    isLossAnnounced = false
    // A gpsd that floods is tried ever more seldom, whatever else it says.
    if !notices.isExceeded(at: now) { backOff.succeed() }
    state = .watching(until: now.advanced(byNanoseconds: options.silenceNanoseconds))
    return events.map(Action.deliver)
  }

  /// Takes the list of receivers, which is how gpsd says that one is gone: it tells nobody when
  /// one is unplugged.
  ///
  /// A list says of some that they are not open which only paused: those are not lost.
  private mutating func take(
    _ list: [ReceiverInfo], isWhole: Bool, at now: MonotonicTime
  ) -> [Action] {
    var actions: [Action] = []
    for name in isWhole ? receivers.missing(from: list) : [] {
      actions += giveUp(name, isListed: false, at: now)
    }
    return actions + list.flatMap { note($0) }
  }

  /// Takes the news of a receiver.
  private mutating func take(_ receiver: ReceiverInfo, at now: MonotonicTime) -> [Action] {
    guard !receiver.isActive else { return note(receiver) }
    // Of one that nobody knew there is nothing to be told.
    let actions = receivers.has(receiver.name) ? note(receiver) : []
    return actions + giveUp(receiver.name, isListed: true, at: now)
  }

  /// Notices of receivers; the end of the connection instead where they are too many.
  private mutating func limited(_ actions: [Action], at now: MonotonicTime) -> [Action] {
    guard notices.take(actions.count, at: now) else {
      return [.close] + retreat(.flood, at: now)
    }
    return actions
  }

  private mutating func note(_ receiver: ReceiverInfo) -> [Action] {
    receivers.note(receiver) ? [.deliver(.receiver(receiver))] : []
  }

  /// Takes a receiver for gone, and says so once.
  private mutating func giveUp(
    _ name: String, isListed: Bool, at now: MonotonicTime
  ) -> [Action] {
    let wasThere = receivers.has(name)
    receivers.giveUp(name, isListed: isListed)
    let wasLive = receivers.lose(name, at: now)
    guard wasLive || wasThere else { return [] }
    if wasLive { counters.losses &+= 1 }
    if receivers.isEmpty {
      // It was the last: there is nothing left to be silent.
      isLossAnnounced = true
      state = .silent(
        .answered(nextAt: now.advanced(byNanoseconds: options.silenceNanoseconds)))
    }
    return [.deliver(.lost(SourceLoss(.deactivated, receiver: name, at: now)))]
  }
}
