// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Logging
package import Pipeline
package import Positioning

/// Gives every event to a program, a JSON object a line on its standard input.
///
/// It is the operator's own program, named in the configuration, and so gets what there is in full.
/// See <doc:ExecPlugins> for what is spoken with it.
package actor ExecSink: Sink {
  /// The catalogue's entry.
  package static let plugin = Plugin.sink(
    "exec", "any program, JSON lines on its standard input",
    ExecCommand.sinkSettings, mailbox: .following,
    callKeys: [ExecCommand.helloKey],
    make: { settings, context throws(SettingsError) in
      ExecSink(
        name: context.name ?? "exec", command: try ExecCommand(settings), clock: context.clock,
        now: context.now, utcNow: context.utcNow,
        tell: { [logger = context.logger] in logger.info("\($0)") },
        launcher: context.launcher ?? ProcessLauncher())
    })

  /// The name it is reported under.
  package nonisolated let name: String
  private let process: ExecProcess
  private let log: ExecLog
  private let now: @Sendable () -> MonotonicTime
  private let utcNow: @Sendable () -> UTCTime?
  private var encoder = EventEncoder()

  /// Makes a sink that runs nothing yet.
  ///
  /// - Parameters:
  ///   - name: The name it is reported under.
  ///   - command: The program.
  ///   - clock: What waits are measured by.
  ///   - now: The present reading of the clock that locations are received by.
  ///   - utcNow: The board's wall clock; `nil` where it is not known.
  ///   - tell: Takes what the program says that is for a log.
  package init(
    name: String = "exec", command: ExecCommand, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil },
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(
      name: name, command: command, clock: clock, now: now, utcNow: utcNow, tell: tell,
      launcher: ProcessLauncher())
  }

  private init(
    name: String, command: ExecCommand, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> MonotonicTime, utcNow: @escaping @Sendable () -> UTCTime?,
    tell: @escaping @Sendable (String) -> Void, launcher: any ExecLauncher
  ) {
    self.name = name
    self.now = now
    self.utcNow = utcNow
    let log = ExecLog(name: name, now: now, tell: tell)
    self.log = log
    process = ExecProcess(command, clock: clock, log: log, launcher: launcher) { message in
      switch message {
      case .error(_, let text, _)?: log.tellWithin("error: \(text)")
      case .enriched?: log.passOver(\.unknownMessages, "unknown message ENRICHED")
      case .hello?, .other?, nil: break
      }
    }
  }

  /// What the program said that nobody could use.
  nonisolated var counts: ExecCounts { log.counts }

  /// Starts the program, and waits until it has said hello, where it does.
  package func start() async throws {
    try await process.start(hello: ExecLines.hello(role: "sink", name: name))
  }

  /// Gives the program an event.
  package func receive(_ event: any PipelineEvent) async throws {
    let lines = encoder.encode(event, now: now(), utcNow: utcNow())
    if !lines.isEmpty { try await process.send(lines) }
  }

  /// Ends the program; returns when it is gone.
  package func stop() async { await process.stop() }
}
