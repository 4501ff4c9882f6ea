// SPDX-License-Identifier: Apache-2.0

public import DaemonClient
internal import DaemonInterface
internal import Positioning
public import Receivers

/// The one place where sources are made.
public struct SourceFactory: Sendable {
  /// Makes a simulated receiver on a pseudo-terminal, opened as a USB dongle would be.
  public var simulated: @Sendable () throws -> SourceSession
  /// Makes a recorded log, which waits for those who listen.
  public var replay:
    @Sendable (
      _ file: String, _ pace: ReplayPace, _ caughtUp: @escaping @Sendable () async -> Void
    ) throws -> SourceSession
  /// Where receivers and gpsd are looked for.
  public var surroundings: SourceSurroundings
  /// The daemon, where it answers.
  public var daemon: @Sendable () -> DaemonClient?

  /// Makes a factory.
  ///
  /// - Parameters:
  ///   - surroundings: Where receivers and gpsd are looked for.
  ///   - daemon: The daemon, where it answers.
  ///   - simulated: Makes a simulated receiver on a pseudo-terminal.
  ///   - replay: Makes a recorded log; `caughtUp` returns when what it delivered has gone through.
  public init(
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
  public static var system: SourceFactory {
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
  public static var answeringDaemon: DaemonClient? {
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
  public func session(for specifications: [SourceSpecification]) throws -> SourceSession {
    var sessions: [SourceSession] = []
    let named = specifications.isEmpty ? [.auto] : specifications
    if named == [.auto], let client = daemon() {
      return SourceSession(
        source: DaemonSource(client, purpose: "fixcast"), counters: { NMEACounters() })
    }
    let members = try named.map { specification -> SourceGroup.Member in
      switch specification {
      case .simulated, .replay:
        let session = try self.session(alone: specification)
        sessions.append(session)
        return .other(session.source)
      case .serial(let devnode, let baud): return .serial(devnode: devnode, baud: baud)
      case .gpsd(let host, let port):
        guard let number = UInt16(port), let address = GPSDAddress(host: host, port: number) else {
          throw SourceUnavailable(specification: specification)
        }
        return .gpsd(address)
      case .auto: return .pluggedIn
      }
    }
    // A recording waits for whoever listens, and has nothing to choose from.
    if members.count == 1, let only = sessions.first { return only }
    let group = SourceGroup(members, surroundings: surroundings)
    return SourceSession(
      source: group,
      companion: { [sessions] in
        await withTaskGroup(of: Void.self) { companions in
          for session in sessions { companions.addTask { await session.companion() } }
        }
      },
      // Those that a group does not open itself count for themselves.
      counters: { [sessions] in
        sessions.reduce(into: group.counters) { $0 += $1.counters() }
      }, situation: { group.situation })
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
