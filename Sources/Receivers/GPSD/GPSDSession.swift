// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// The state machine of a gpsd client: connection, handshake, reports and timeouts.
///
/// Also detects lost receivers, which gpsd does not report. A session has no clock, thread or
/// socket: ``GPSDReadLoop`` executes the actions and passes in the events.
struct GPSDSession: Sendable {
  /// The state of the connection.
  ///
  /// ``Event/readFailed`` leads from every connected state to *backingOff*.
  enum State: Equatable, Sendable {
    /// Not started. Next: *connecting*.
    case idle
    /// Connecting. Next: *handshaking*, *backingOff*.
    case connecting
    /// Connected, waiting for VERSION until the deadline. Next: *watching* on VERSION;
    /// *backingOff* on an unsupported protocol, on a malformed line, or at the deadline.
    case handshaking(until: MonotonicTime)
    /// Receiving or waiting for TPVs. Next: *silent* if no TPV arrives before the deadline.
    case watching(until: MonotonicTime)
    /// Connected, but no receiver sends TPVs; gpsd is probed periodically. Next: *watching* on a
    /// TPV; *backingOff* if gpsd does not answer a probe.
    case silent(Probe)
    /// Disconnected, waiting until the next attempt. Next: *connecting*.
    case backingOff(until: MonotonicTime)
  }

  /// The state of the periodic probe of a silent gpsd.
  enum Probe: Equatable, Sendable {
    case pending(until: MonotonicTime)
    case answered(nextAt: MonotonicTime)
  }

  /// An input of the state machine.
  enum Event: Equatable, Sendable {
    case connected
    case connectFailed(GPSDConnectionError)
    case report(GPSDReport)
    case readFailed
    /// The process was paused; buffered input may be as old as the pause.
    case stalled
    /// All buffered input has been read.
    case waitForConsumers
    /// ``GPSDSession/deadline`` may have passed. Harmless if sent early.
    case tick
  }

  /// An output of the state machine, to be executed in order.
  enum Action: Equatable, Sendable {
    /// Connect; answered by ``Event/connected`` or ``Event/connectFailed(_:)``.
    case connect
    /// Request the version. gpsd sends its version without a request; the answer of any other
    /// server shows that the server is not gpsd.
    case requestVersion
    /// Request reports (`?WATCH`).
    case watch
    /// Request the device list, which every responsive gpsd sends.
    case probe
    /// Close the connection.
    case close
    case deliver(FixSourceEvent)
  }

  /// The timeouts of a session.
  struct Options: Equatable, Sendable {
    /// The time without a TPV after which the receiver counts as lost.
    ///
    /// A loss must be reported within five seconds; half a second is left for a late timer.
    var silenceNanoseconds: Int64 = 4_500_000_000
    /// The time limit for gpsd's greeting and for its answer to a probe.
    ///
    /// gpsd is single-threaded and does not answer while it detects a receiver's baud rate
    /// (measured: 4.3 s).
    var timeoutNanoseconds: Int64 = 10_000_000_000
    /// The time without a greeting after which the version is requested.
    var versionRequestNanoseconds: Int64 = 2_000_000_000
    /// The time limit for connecting, for all addresses of the host together.
    var connectNanoseconds: Int64 = 4_000_000_000
    /// The delays between attempts.
    ///
    /// At most two seconds, so that a restarted gpsd is found before its receiver has a fix.
    var backOff = BackOff(firstNanoseconds: 100_000_000, maxNanoseconds: 2_000_000_000)
  }

  /// The supported major version of gpsd's protocol; it has been 3 since 2010.
  static let protocolMajor = 3

  let address: String
  let options: Options
  private(set) var state = State.idle
  private(set) var counters = GPSDCounters()
  /// The time at which to request the version; `nil` after the request.
  private var versionRequestAt: MonotonicTime?
  private var backOff: BackOff
  private var generator: SplitMix64
  private var receivers: GPSDReceivers
  private var notices = GPSDNoticeBudget()
  /// Whether a loss was reported and neither a position nor a greeting has arrived since.
  private var isLossReported = false
  /// Whether the reports being read were buffered during a pause of the process.
  private var isCatchingUp = false

  /// Makes an idle session.
  ///
  /// `seed` determines the jitter of the back-off delays.
  init(address: String, options: Options = Options(), seed: UInt64) {
    self.address = address
    self.options = options
    backOff = options.backOff
    generator = SplitMix64(seed: seed)
    receivers = GPSDReceivers(address: address, silenceNanoseconds: options.silenceNanoseconds)
  }

  /// The time at which to send ``Event/tick`` unless another event occurs earlier.
  var deadline: MonotonicTime? {
    let next: MonotonicTime? =
      switch state {
      case .idle, .connecting: nil
      case .handshaking(let until): min(until, versionRequestAt ?? until)
      case .watching(let until), .backingOff(let until): until
      case .silent(.pending(let until)): until
      case .silent(.answered(let nextAt)): nextAt
      }
    return [next, receivers.deadline].compactMap { $0 }.min()
  }

  /// Starts connecting; does nothing if already started.
  mutating func start() -> [Action] {
    guard state == .idle else { return [] }
    state = .connecting
    return [.connect]
  }

  /// Handles an event and returns the actions to execute.
  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    switch (state, event) {
    case (.connecting, .connected):
      state = .handshaking(until: now.advanced(byNanoseconds: options.timeoutNanoseconds))
      versionRequestAt = now.advanced(byNanoseconds: options.versionRequestNanoseconds)
      return []
    case (.connecting, .connectFailed(let error)): return scheduleRetry(error, at: now)
    case (.handshaking, .report(let report)), (.watching, .report(let report)),
      (.silent, .report(let report)):
      counters.lines &+= 1
      // After a late wake-up, such as after a suspend, an expired deadline is handled first: the
      // report may have been buffered before the deadline.
      return handleOverdue(now) + take(report, at: now)
    case (.handshaking, .readFailed):
      return [.close] + scheduleRetry(.closedBeforeGreeting, at: now)
    case (.watching, .readFailed), (.silent, .readFailed):
      return [.close] + scheduleRetry(.disconnected, at: now)
    case (.watching, .stalled), (.silent, .stalled): return handleStall(now)
    case (_, .waitForConsumers):
      isCatchingUp = false
      return []
    case (_, .tick): return tick(now)
    // Events of a connection that was already closed.
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
        let timeout = options.timeoutNanoseconds / 1_000_000
        return [.close] + scheduleRetry(.noGreeting(milliseconds: timeout), at: now)
      }
      guard let versionRequestAt, now >= versionRequestAt else { return [] }
      self.versionRequestAt = nil
      return [.requestVersion]
    case .watching, .silent:
      let events = receivers.tick(now, counters: &counters)
      var actions = events.map(Action.deliver)
      // A receiver fell silent: the device list shows whether gpsd has removed this receiver.
      if events.contains(where: { if case .lost = $0 { true } else { false } }) {
        actions.append(.probe)
      }
      actions += checkDeadline(now)
      return actions
    }
  }

  /// Handles an expired deadline before a report is processed.
  private mutating func handleOverdue(_ now: MonotonicTime) -> [Action] {
    guard case .watching = state, let deadline, now >= deadline else { return [] }
    return tick(now)
  }

  /// Handles a pause of the process: marks all receivers as lost, so stale reports are dropped.
  ///
  /// Does not report a loss, because the buffered input shows whether the receiver was silent.
  private mutating func handleStall(_ now: MonotonicTime) -> [Action] {
    let actions = handleOverdue(now)
    receivers.loseAll(at: now)
    isCatchingUp = true
    return actions
  }

  /// Handles the deadlines of the states *watching* and *silent*.
  private mutating func checkDeadline(_ now: MonotonicTime) -> [Action] {
    switch state {
    case .watching(let until):
      guard now >= until else { return [] }
      state = .silent(.pending(until: now.advanced(byNanoseconds: options.timeoutNanoseconds)))
      let text =
        "no position report from gpsd for \(seconds(options.silenceNanoseconds)) s; see what it "
        + "sends: gpspipe -w \(address)"
      return reportLoss(.silent, text, at: now) + [.probe]
    case .silent(.pending(let until)):
      guard now >= until else { return [] }
      return [.close] + scheduleRetry(.unresponsive, at: now)
    case .silent(.answered(let nextAt)):
      guard now >= nextAt else { return [] }
      state = .silent(.pending(until: now.advanced(byNanoseconds: options.timeoutNanoseconds)))
      return [.probe]
    case .idle, .connecting, .handshaking, .backingOff: return []
    }
  }

  /// Drops all open epochs, schedules the next attempt and reports the loss.
  private mutating func scheduleRetry(
    _ error: GPSDConnectionError, at now: MonotonicTime
  ) -> [Action] {
    receivers.loseAll(at: now)
    isCatchingUp = false
    let wait = backOff.next(using: &generator)
    state = .backingOff(until: now.advanced(byNanoseconds: wait))
    return reportLoss(error.reason, error.text, at: now)
  }

  /// Reports a loss, unless a loss was already reported.
  private mutating func reportLoss(
    _ reason: SourceLoss.Reason, _ detail: String?, at now: MonotonicTime
  ) -> [Action] {
    guard !isLossReported else { return [] }
    isLossReported = true
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
    if case .silent(.pending) = state {
      // Any report shows that gpsd responds.
      state = .silent(
        .answered(nextAt: now.advanced(byNanoseconds: options.silenceNanoseconds)))
    }
    switch report {
    // The server of another board can be a source.
    case .version(_, _, _, isFixcast: true) where GPSDAddress(address)?.isThisHost == true:
      guard case .handshaking = state else { return [] }
      return [.close] + scheduleRetry(.fixcast, at: now)
    case .version(let release, let major, _, _): return handleVersion(release, major, at: now)
    case .position, .sky, .heading, .device, .devices:
      if case .handshaking = state { return [] }
    case .malformed(let received):
      counters.protocolErrors &+= 1
      // A malformed greeting or answer to the version request: the server is not gpsd.
      if case .handshaking = state {
        return [.close]
          + scheduleRetry(.otherServer(GPSDConnectionError.excerpt(of: received)), at: now)
      }
    case .error: counters.protocolErrors &+= 1
    case .other: break
    }
    switch report {
    case .position where isCatchingUp:
      // The position is stale, but shows that the receiver was not silent.
      counters.stalePositions &+= 1
      if case .watching = state {
        state = .watching(until: now.advanced(byNanoseconds: options.silenceNanoseconds))
      }
      return []
    case .sky where isCatchingUp, .heading where isCatchingUp: return []
    case .position(let device, let position): return take(position, of: device, at: now)
    case .sky(let device, let sky):
      return receivers.take(sky, of: device, at: now, counters: &counters).map(Action.deliver)
    case .heading(let heading):
      receivers.take(heading, at: now)
      return []
    case .devices(let list, let isComplete):
      return limitNotices(take(list, isComplete: isComplete, at: now), at: now)
    case .device(let receiver): return limitNotices(take(receiver, at: now), at: now)
    case .version, .error, .other, .malformed: return []
    }
  }

  private mutating func handleVersion(
    _ release: String, _ major: Int, at now: MonotonicTime
  ) -> [Action] {
    guard case .handshaking = state else { return [] }
    guard major == Self.protocolMajor else {
      counters.protocolErrors &+= 1
      return [.close]
        + scheduleRetry(.version(release: release, protocolMajor: major), at: now)
    }
    counters.connections &+= 1
    receivers.forgetAll()
    isLossReported = false
    state = .watching(until: now.advanced(byNanoseconds: options.silenceNanoseconds))
    let server = SourceServer(address: address, release: release.isEmpty ? nil : release)
    return [.watch, .deliver(.connected(server))]
  }

  private mutating func take(
    _ position: FixReport, of device: String, at now: MonotonicTime
  ) -> [Action] {
    let events = receivers.take(position, of: device, at: now, counters: &counters)
    // A report from before the loss does not show that the receiver is back.
    guard let events else { return [] }
    isLossReported = false
    // A gpsd that exceeds the limit of notices must not reset the back-off by sending positions.
    if !notices.isExceeded(at: now) { backOff.succeed() }
    state = .watching(until: now.advanced(byNanoseconds: options.silenceNanoseconds))
    return events.map(Action.deliver)
  }

  /// Handles a device list: receivers missing from a complete list are lost.
  ///
  /// gpsd sends no notice when a receiver is unplugged. A receiver that is listed but not open
  /// does not count as lost, because the receiver may only be paused.
  private mutating func take(
    _ list: [ReceiverInfo], isComplete: Bool, at now: MonotonicTime
  ) -> [Action] {
    var actions: [Action] = []
    for name in isComplete ? receivers.missing(from: list) : [] {
      actions += markRemoved(name, isListed: false, at: now)
    }
    return actions + list.flatMap { note($0) }
  }

  /// Handles a DEVICE.
  private mutating func take(_ receiver: ReceiverInfo, at now: MonotonicTime) -> [Action] {
    guard !receiver.isActive else { return note(receiver) }
    // The removal of an unannounced receiver is not reported.
    let actions = receivers.has(receiver.name) ? note(receiver) : []
    return actions + markRemoved(receiver.name, isListed: true, at: now)
  }

  /// Returns the notices, or closes the connection if there are too many.
  private mutating func limitNotices(_ actions: [Action], at now: MonotonicTime) -> [Action] {
    guard notices.take(actions.count, at: now) else {
      return [.close] + scheduleRetry(.flood, at: now)
    }
    return actions
  }

  private mutating func note(_ receiver: ReceiverInfo) -> [Action] {
    receivers.note(receiver) ? [.deliver(.receiver(receiver))] : []
  }

  /// Marks a receiver as removed; reports each removal once.
  private mutating func markRemoved(
    _ name: String, isListed: Bool, at now: MonotonicTime
  ) -> [Action] {
    let wasAnnounced = receivers.has(name)
    receivers.markRemoved(name, isListed: isListed)
    let wasLive = receivers.lose(name, at: now)
    guard wasLive || wasAnnounced else { return [] }
    if wasLive { counters.losses &+= 1 }
    if receivers.isEmpty {
      // No receiver is left, so no further loss is reported.
      isLossReported = true
      state = .silent(
        .answered(nextAt: now.advanced(byNanoseconds: options.silenceNanoseconds)))
    }
    return [.deliver(.lost(SourceLoss(.deactivated, receiver: name, at: now)))]
  }
}
