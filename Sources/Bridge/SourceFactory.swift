// SPDX-License-Identifier: Apache-2.0

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

  /// Makes a factory.
  ///
  /// - Parameters:
  ///   - simulated: Makes a simulated receiver on a pseudo-terminal.
  ///   - replay: Makes a recorded log; `caughtUp` returns when what it delivered has gone through.
  public init(
    simulated: @escaping @Sendable () throws -> SourceSession,
    replay:
      @escaping @Sendable (
        _ file: String, _ pace: ReplayPace, _ caughtUp: @escaping @Sendable () async -> Void
      ) throws -> SourceSession
  ) {
    self.simulated = simulated
    self.replay = replay
  }

  /// The real ones.
  public static var system: SourceFactory {
    SourceFactory(
      simulated: {
        let terminal = try PseudoTerminal()
        let receiver = try SimulatedReceiver(.init(start: SystemClock.utcNow()))
        let simulated = try SimulatedTerminal(receiver: receiver, terminal: terminal)
        let source = SerialSource(devnode: terminal.devnode)
        return SourceSession(
          source: source, companion: { await simulated.run() },
          counters: { source.counters })
      },
      replay: { file, pace, caughtUp in
        let source = ReplaySource(file: file, pace: pace, caughtUp: caughtUp)
        return SourceSession(source: source, counters: { source.counters })
      })
  }

  /// Makes the sources that were named; none of them is opened yet.
  ///
  /// - Parameter specifications: What was named.
  /// - Returns: A session for each; several for `auto` where several receivers are plugged in.
  /// - Throws: Where one cannot be had.
  public func sessions(for specifications: [SourceSpecification]) throws -> [SourceSession] {
    try specifications.flatMap { specification -> [SourceSession] in
      switch specification {
      case .simulated: [try simulated()]
      case .replay(let file): [try replay(file, .recorded, {})]
      case .serial(let devnode, let baud): [Self.serial(devnode, baud: baud)]
      case .gpsd(let host, let port): [try Self.gpsd(host: host, port: port, specification)]
      case .auto: try Self.automatic()
      }
    }
  }

  /// gpsd where one answers, since it holds what it reads; else the receivers that udev knows.
  private static func automatic() throws -> [SourceSession] {
    if LocalGPSD.answers() {
      let port = SourceSpecification.gpsdPort
      return [try gpsd(host: "localhost", port: port, .auto)]
    }
    let found = UDevReceivers().present().compactMap { event -> SourceSession? in
      guard case .found(let receiver) = event, receiver.role == .receiver else { return nil }
      return serial(receiver.devnode, baud: nil)
    }
    guard !found.isEmpty else { throw SourceUnavailable(specification: .auto) }
    return found
  }

  private static func serial(_ devnode: String, baud: Int?) -> SourceSession {
    let source = SerialSource(devnode: devnode, baud: baud)
    return SourceSession(source: source, counters: { source.counters })
  }

  private static func gpsd(
    host: String, port: String, _ specification: SourceSpecification
  ) throws -> SourceSession {
    guard let number = UInt16(port), let address = GPSDAddress(host: host, port: number) else {
      throw SourceUnavailable(specification: specification)
    }
    // gpsd counts sentences itself, and says nothing of them.
    return SourceSession(source: GPSDSource(address: address), counters: { NMEACounters() })
  }
}
