// SPDX-License-Identifier: Apache-2.0

package import DaemonClient
internal import DaemonProtocol
package import Positioning
internal import ReceiverSimulator
package import Receivers
internal import SystemSupport

/// The one place where sources are made.
package struct SourceFactory: Sendable {
  /// Makes a simulated receiver on a pseudo-terminal, opened as a USB dongle would be.
  package var simulated: @Sendable () throws -> any FixSource
  /// Makes a recorded log, which waits for those who listen.
  package var replay:
    @Sendable (
      _ file: String, _ pace: ReplayPace, _ caughtUp: @escaping @Sendable () async -> Void
    ) throws -> any FixSource
  /// Where receivers and gpsd are looked for.
  package var surroundings: SourceEnvironment
  /// The daemon, where it answers.
  package var daemon: @Sendable () -> DaemonClient?

  /// Makes a factory.
  package init(
    surroundings: SourceEnvironment = SourceEnvironment(),
    daemon: @escaping @Sendable () -> DaemonClient? = { nil },
    simulated: @escaping @Sendable () throws -> any FixSource,
    replay:
      @escaping @Sendable (
        _ file: String, _ pace: ReplayPace, _ caughtUp: @escaping @Sendable () async -> Void
      ) throws -> any FixSource
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
        // A port drops what was sent before it was opened: the first epoch waits for that.
        return SourceWithBackgroundTask(SerialSource(devnode: terminal.devnode)) {
          await simulated.run(after: .milliseconds(200))
        }
      },
      replay: { ReplaySource(file: $0, pace: $1, caughtUp: $2) })
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
  /// Throws where one cannot be had.
  package func session(for specifications: [SourceSpecification]) throws -> SourceSession {
    let named = specifications.isEmpty ? [.auto] : specifications
    if named == [.auto], let client = daemon() {
      return SourceSession(DaemonSession(client, purpose: "fixcast", assuming: nil))
    }
    // A recording alone is not selected from, and may wait for its consumer.
    if named.count == 1, let alone = try handedIn(named[0]) { return SourceSession(alone) }
    return SourceSession(SourceGroup(try named.map(member(for:)), surroundings: surroundings))
  }

  /// The member of a group for a source that was named.
  ///
  /// - Throws: ``SourceUnavailable`` for an address that no gpsd can have, and the error of a
  ///   simulated receiver or a recording that cannot be made.
  func member(for specification: SourceSpecification) throws -> SourceGroup.Member {
    switch specification {
    case .auto: return .pluggedIn
    case .serial(let devnode, let baud): return .serial(devnode: devnode, baud: baud)
    case .gpsd(let host, let port):
      guard let number = UInt16(port), let address = GPSDAddress(host: host, port: number) else {
        throw SourceUnavailable(specification: specification)
      }
      return .gpsd(address)
    case .simulated: return .other(try simulated(), id: "\(specification)")
    case .replay(let file):
      return .other(try replay(file, .recorded, {}), id: "\(specification)")
    }
  }

  /// A source that a group does not open itself; `nil` for any other.
  private func handedIn(_ specification: SourceSpecification) throws -> (any FixSource)? {
    guard case .other(let source, _) = try member(for: specification) else { return nil }
    return source
  }

}
