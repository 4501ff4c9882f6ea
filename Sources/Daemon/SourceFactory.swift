// SPDX-License-Identifier: Apache-2.0

package import DaemonClient
internal import DaemonProtocol
package import FixcastConfiguration
package import Positioning
internal import ReceiverSimulator
package import Receivers
package import SystemSupport

/// Creates sources of fixes from their specifications.
package struct SourceFactory: Sendable {
  /// Creates a simulated receiver on a pseudo-terminal, which is opened like the serial port of a
  /// USB dongle.
  package var simulated: @Sendable () throws -> any FixSource
  /// Creates the source of a recorded log.
  ///
  /// The source regularly awaits `waitForConsumers`, which returns once the consumers have
  /// processed all delivered events, so that slow consumers lose no events.
  package var replay:
    @Sendable (
      _ file: String, _ pace: ReplayPace, _ waitForConsumers: @escaping @Sendable () async -> Void
    ) throws -> any FixSource
  /// The environment in which receivers and gpsd are discovered.
  package var environment: SourceEnvironment
  /// Returns a client of the daemon; `nil` if no daemon should be used.
  package var daemon: @Sendable () -> DaemonClient?

  /// Requests the sentences of the receivers, for clients that read NMEA 0183.
  package var sentenceDemand = SentenceDemand()

  package init(
    environment: SourceEnvironment = SourceEnvironment(),
    daemon: @escaping @Sendable () -> DaemonClient? = { nil },
    simulated: @escaping @Sendable () throws -> any FixSource,
    replay:
      @escaping @Sendable (
        _ file: String, _ pace: ReplayPace, _ waitForConsumers: @escaping @Sendable () async -> Void
      ) throws -> any FixSource
  ) {
    self.environment = environment
    self.daemon = daemon
    self.simulated = simulated
    self.replay = replay
  }

  /// The factory for the receivers and the daemon of this board.
  package static var system: SourceFactory { system(recordingInto: nil) }

  /// The factory for the receivers and the daemon of this board, which records raw sentences.
  package static func system(recordingInto sentences: RawSentences?) -> SourceFactory {
    let demand = SentenceDemand()
    var factory = SourceFactory(
      environment: SourceEnvironment(recordingInto: sentences, demand: demand),
      daemon: { answeringDaemon },
      simulated: {
        let terminal = try PseudoTerminal()
        let receiver = try SimulatedReceiver(.init(start: SystemClock.utcNow()))
        let simulated = try SimulatedTerminal(receiver: receiver, terminal: terminal)
        // Opening a port discards data that was sent before, so the simulator delays the first
        // epoch.
        var source = SerialSource(devnode: terminal.devnode)
        source.sentences = sentences
        source.sentenceDemand = demand
        return SourceWithBackgroundTask(source) {
          await simulated.run(after: .milliseconds(200))
        }
      },
      replay: {
        var source = ReplaySource(file: $0, pace: $1, waitForConsumers: $2)
        source.sentences = sentences
        source.sentenceDemand = demand
        return source
      })
    factory.sentenceDemand = demand
    return factory
  }

  /// A client of the daemon at the address in `FIXCAST_SOCKET`, or at the default address; `nil` if
  /// no daemon is running at this address.
  ///
  /// Not `nil` if this user lacks permission to connect: opening a receiver directly would bypass
  /// the daemon's access control. Requests then fail with a permission error.
  package static var answeringDaemon: DaemonClient? {
    let client = DaemonClient(address: .ofEnvironment, now: { MonotonicTime.now() })
    return client.presence == .absent ? nil : client
  }

  /// Combines the specified sources into one session, without opening the sources.
  ///
  /// If `auto` is the only specification and the daemon is running, the result is the daemon, which
  /// has opened the receivers. Otherwise, `auto` uses this host's gpsd and every receiver that is
  /// plugged in, now or later. If there are several sources, only the fixes of the best source are
  /// delivered. Fixes of several receivers are never merged.
  ///
  /// - Throws: The errors of ``member(for:)``.
  package func session(for specifications: [SourceSpecification]) throws -> SourceSession {
    let requested = specifications.isEmpty ? [.auto] : specifications
    if requested == [.auto], let client = daemon() {
      return SourceSession(DaemonSession(client, purpose: "fixcast", assuming: nil))
    }
    // A single recording or simulation needs no source group. Without a group, a recording can wait
    // for its consumer.
    if requested.count == 1, let single = try externalSource(requested[0]) {
      return SourceSession(single)
    }
    return SourceSession(SourceGroup(try requested.map(member(for:)), environment: environment))
  }

  /// Returns the member of a source group for a specification.
  ///
  /// - Throws: The errors of a simulated receiver or a recording that cannot be opened.
  func member(for specification: SourceSpecification) throws -> SourceGroup.Member {
    switch specification {
    case .auto: return .pluggedIn
    case .serial(let devnode, let baud, let allowsMissingChecksum):
      return .serial(
        devnode: devnode, baud: baud, allowsMissingChecksum: allowsMissingChecksum)
    case .gpsd(let server): return .gpsd(GPSDAddress(server))
    case .simulated: return .other(try simulated(), id: "\(specification)")
    case .replay(let file):
      return .other(try replay(file, .recorded, {}), id: "\(specification)")
    }
  }

  /// Returns the member of a source group for a specification; if its creation failed, a member whose
  /// runs fail with that error.
  func memberOrUnavailable(for specification: SourceSpecification) -> SourceGroup.Member {
    do {
      return try member(for: specification)
    } catch {
      return .other(UnavailableSource(name: "\(specification)", error: error))
    }
  }

  /// Returns a recording or a simulated receiver; `nil` for sources that a source group opens.
  private func externalSource(_ specification: SourceSpecification) throws -> (any FixSource)? {
    guard case .other(let source, _) = try member(for: specification) else { return nil }
    return source
  }
}

/// A source whose creation failed.
private struct UnavailableSource: FixSource {
  let name: String
  let error: any Error

  func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(any Error) { throw error }
}
