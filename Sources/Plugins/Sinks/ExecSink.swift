// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Logging
package import Pipeline
package import Positioning

/// Sends every event to an external program, as one JSON object per line on its standard input.
///
/// The program receives positions in full accuracy, because the operator has configured it. See
/// <doc:ExecPlugins> for the protocol.
package actor ExecSink: Sink {
  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.sink(
    "exec", "any program that reads JSON lines from its standard input",
    ExecCommand.sinkSettings + EventSelection.settings, mailbox: .following,
    callKeys: [ExecCommand.helloKey],
    make: { settings, context throws(SettingsError) in
      ExecSink(
        name: context.name ?? "exec", command: try ExecCommand(settings), clock: context.clock,
        now: context.now, utcNow: context.utcNow,
        logLine: { [logger = context.logger] in logger.info("\($0)") },
        launcher: context.launcher ?? ProcessLauncher(),
        selection: try EventSelection(settings))
    })

  /// The name in reports and in the status.
  package nonisolated let name: String
  private let process: ExecProcess
  private let log: ExecLog
  private let now: @Sendable () -> MonotonicTime
  private let utcNow: @Sendable () -> UTCTime?
  private var encoder: EventEncoder

  /// Creates a sink without starting the program.
  ///
  /// - Parameters:
  ///   - name: The name in reports and in the status.
  ///   - command: The program.
  ///   - clock: The clock for time limits.
  ///   - now: Returns the current time of the clock that timestamps received locations.
  ///   - utcNow: Returns the wall-clock time; `nil` if it is unknown.
  ///   - logLine: Logs a line.
  package init(
    name: String = "exec", command: ExecCommand, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> MonotonicTime,
    utcNow: @escaping @Sendable () -> UTCTime? = { nil },
    logLine: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(
      name: name, command: command, clock: clock, now: now, utcNow: utcNow, logLine: logLine,
      launcher: ProcessLauncher(), selection: EventSelection())
  }

  private init(
    name: String, command: ExecCommand, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> MonotonicTime, utcNow: @escaping @Sendable () -> UTCTime?,
    logLine: @escaping @Sendable (String) -> Void, launcher: any ExecLauncher,
    selection: EventSelection
  ) {
    self.name = name
    self.now = now
    self.utcNow = utcNow
    encoder = EventEncoder(selection)
    let log = ExecLog(name: name, now: now, logLine: logLine)
    self.log = log
    process = ExecProcess(command, clock: clock, log: log, launcher: launcher) { message in
      switch message {
      case .error(_, let text, _)?: log.logRateLimited("error: \(text)")
      case .enriched?: log.countIgnored(\.unknownMessages, "unknown message ENRICHED")
      case .hello?, .other?, nil: break
      }
    }
  }

  /// The counts of unusable output of the program.
  nonisolated var counts: ExecCounts { log.counts }

  /// Starts the program, and waits for the handshake unless the program has none.
  package func start() async throws {
    try await process.start(hello: ExecLines.hello(role: "sink", name: name))
  }

  /// Sends an event to the program.
  package func receive(_ event: any PipelineEvent) async throws {
    let lines = encoder.encode(event, now: now(), utcNow: utcNow())
    if !lines.isEmpty { try await process.send(lines) }
  }

  /// Ends the program; returns when the program has ended.
  package func stop() async { await process.stop() }
}
