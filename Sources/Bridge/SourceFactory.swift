// SPDX-License-Identifier: Apache-2.0

package import DaemonClient
internal import DaemonInterface
internal import Positioning
package import Receivers
internal import SystemSupport

/// The one place where sources are made.
package struct SourceFactory: Sendable {
  /// Makes a simulated receiver on a pseudo-terminal, opened as a USB dongle would be.
  package var simulated: @Sendable () throws -> SourceSession
  /// Makes a recorded log, which waits for those who listen.
  package var replay:
    @Sendable (
      _ file: String, _ pace: ReplayPace, _ caughtUp: @escaping @Sendable () async -> Void
    ) throws -> SourceSession
  /// Where receivers and gpsd are looked for.
  package var surroundings: SourceSurroundings
  /// The daemon, where it answers.
  package var daemon: @Sendable () -> DaemonClient?

  /// Makes a factory.
  ///
  /// - Parameters:
  ///   - surroundings: Where receivers and gpsd are looked for.
  ///   - daemon: The daemon, where it answers.
  ///   - simulated: Makes a simulated receiver on a pseudo-terminal.
  ///   - replay: Makes a recorded log; `caughtUp` returns when what it delivered has gone through.
  package init(
    surroundings: SourceSurroundings = SourceSurroundings(),
    daemon: @escaping @Sendable () -> DaemonClient? = { nil },
    simulated: @escaping @Sendable () throws -> SourceSession,
    replay:
      @escaping @Sendable (
        _ file: String, _ pace: ReplayPace, _ caughtUp: @escaping @Sendable () async -> Void
      ) throws -> SourceSession
  ) {
    self.surroundings = surroundings
    self.daemon = daemon
    self.simulated = simulated
    self.replay = replay
  }

  /// The real ones.
  package static var system: SourceFactory {
    SourceFactory(
      daemon: { answeringDaemon },
      simulated: {
        let terminal = try PseudoTerminal()
        let receiver = try SimulatedReceiver(.init(start: SystemClock.utcNow()))
        let simulated = try SimulatedTerminal(receiver: receiver, terminal: terminal)
        let source = SerialSource(devnode: terminal.devnode)
        return SourceSession(
          // A port drops what came before it was opened: the first epoch waits for that.
          source: source, companion: { await simulated.run(after: .milliseconds(200)) },
          counters: { source.counters })
      },
      replay: { file, pace, caughtUp in
        let source = ReplaySource(file: file, pace: pace, caughtUp: caughtUp)
        return SourceSession(source: source, counters: { source.counters })
      })
  }

  /// The daemon that the environment names, or the usual one, where there is one.
  ///
  /// One that this user may not ask is none to do without: what would be had by that is what it
  /// keeps. Whoever asks it is told so.
  package static var answeringDaemon: DaemonClient? {
    let client = DaemonClient(address: .ofEnvironment, now: { MonotonicTime.now() })
    return client.presence == .absent ? nil : client
  }

  /// Makes one source of all that were named; none of them is opened yet.
  ///
  /// `auto` alone stands for the daemon where it answers: it has the receivers. Else it stands for
  /// every receiver that is plugged in, now or later, and the gpsd of this host;
  /// where there is none it waits. Of several sources only the best one's fixes come, and a fix
  /// always is one receiver's.
  ///
  /// - Parameter specifications: What was named; nothing stands for `auto`.
  /// - Returns: The session.
  /// - Throws: Where one cannot be had.
  package func session(for specifications: [SourceSpecification]) throws -> SourceSession {
    let named = Self.orAuto(specifications)
    if named == [.auto], let client = daemon() {
      return SourceSession(
        source: DaemonSource(client, purpose: "fixcast"), counters: { NMEACounters() })
    }
    // A recording waits for whoever listens, and has nothing to choose from.
    if let alone = Self.alone(named) { return try session(alone: alone) }
    let handedIn = HandedInSources()
    let group = SourceGroup(
      try members(for: named, handedIn: handedIn), surroundings: surroundings)
    return SourceSession(
      source: group,
      // Those that a group does not open itself count for themselves.
      counters: {
        var counters = group.counters
        counters += handedIn.counters
        return counters
      },
      situation: { group.situation },
      replace: { specifications in
        let named = Self.orAuto(specifications)
        guard Self.alone(named) == nil, named != [.auto] || self.daemon() == nil else {
          return false
        }
        return group.replace(try self.members(for: named, handedIn: handedIn))
      })
  }

  /// What a group is made of.
  private func members(
    for specifications: [SourceSpecification], handedIn: HandedInSources
  ) throws -> [SourceGroup.Member] {
    // What is refused is refused before anything is opened.
    let opened = try specifications.map(member(for:))
    var sources = try handedIn.take(specifications.filter(\.isHandedIn), session(alone:))[...]
    return opened.compactMap { $0 ?? sources.popFirst().map { .other($0) } }
  }

  /// What a group opens itself; `nil` for what is handed in.
  private func member(
    for specification: SourceSpecification
  ) throws(SourceUnavailable) -> SourceGroup.Member? {
    switch specification {
    case .simulated, .replay: return nil
    case .serial(let devnode, let baud): return .serial(devnode: devnode, baud: baud)
    case .gpsd(let host, let port):
      guard let number = UInt16(port), let address = GPSDAddress(host: host, port: number) else {
        throw SourceUnavailable(specification: specification)
      }
      return .gpsd(address)
    case .auto: return .pluggedIn
    }
  }

  private static func orAuto(_ specifications: [SourceSpecification]) -> [SourceSpecification] {
    specifications.isEmpty ? [.auto] : specifications
  }

  /// The one source that was named, where no group runs it.
  private static func alone(_ specifications: [SourceSpecification]) -> SourceSpecification? {
    guard specifications.count == 1, let only = specifications.first, only.isHandedIn else {
      return nil
    }
    return only
  }

  /// A source that ends by itself, or has something that runs beside it.
  private func session(alone specification: SourceSpecification) throws -> SourceSession {
    switch specification {
    case .simulated: try simulated()
    case .replay(let file): try replay(file, .recorded, {})
    default: throw SourceUnavailable(specification: specification)
    }
  }
}

extension SourceSpecification {
  /// Whether it is made beside the group that runs it.
  fileprivate var isHandedIn: Bool {
    switch self {
    case .simulated, .replay: true
    case .auto, .serial, .gpsd: false
    }
  }
}
