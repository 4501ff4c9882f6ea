// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
package import Positioning

/// Sends each location to an external program, and adds the data that the program returns.
///
/// The program receives positions in full accuracy, because the operator has configured it. See
/// <doc:ExecPlugins> for the protocol.
package struct ExecStage: Stage {
  /// The plugin's entry in the catalogue.
  package static let plugin = Plugin.stage(
    "exec", "any program that reads and writes JSON lines",
    ExecCommand.stageSettings, callKeys: [ExecCommand.replyKey],
    make: { settings, context throws(SettingsError) in
      ExecStage(
        name: context.name ?? "exec", command: try ExecCommand(settings), clock: context.clock,
        now: context.now, logLine: { [logger = context.logger] in logger.info("\($0)") })
    })

  /// The name in reports and in the status.
  package let name: String
  private let command: ExecCommand
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> MonotonicTime
  private let log: ExecLog

  package init(
    name: String = "exec", command: ExecCommand, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> MonotonicTime,
    logLine: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.command = command
    self.clock = clock
    self.now = now
    log = ExecLog(name: name, now: now, logLine: logLine)
  }

  /// The counts of unusable output of the program.
  var counts: ExecCounts { log.counts }

  /// Runs the program until the input ends or the task is cancelled; returns when the program has
  /// ended.
  package func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async throws {
    let replies = ExecReplies()
    let lateReplyText = "a reply arrived after its time limit"
    let process = ExecProcess(command, clock: clock, log: log, needsOutput: true) {
      [log] message in
      switch message {
      case .enriched(let id, let data)?:
        if !replies.complete(id, .found(data)) { log.countIgnored(\.lateReplies, lateReplyText) }
      case .error(let id?, let text, _)?:
        if !replies.complete(id, .failed(text)) { log.countIgnored(\.lateReplies, lateReplyText) }
      case .error(nil, let text, _)?: log.logRateLimited("error: \(text)")
      case .hello?, .other?: break
      case nil: replies.end()
      }
    }
    do throws(PluginError) {
      try await process.start(hello: ExecLines.hello(role: "stage", name: name))
      var id: UInt64 = 0
      for await value in input {
        id += 1
        replies.expect(id)
        try await process.send(ExecLines.enrich(value.location, id: id, now: now()))
        deliver(add(try await waitForReply(to: id, replies, process), to: value, report))
      }
    } catch {
      await process.stop()
      throw error
    }
    await process.stop()
  }

  private func waitForReply(
    to id: UInt64, _ replies: ExecReplies, _ process: ExecProcess
  ) async throws(PluginError) -> ExecReplies.Reply {
    let timer = Task { [clock, command] in
      guard (try? await clock.sleep(for: .seconds(command.replySeconds))) != nil else { return }
      _ = replies.complete(id, .timedOut)
    }
    defer { timer.cancel() }
    let reply = await withTaskCancellationHandler {
      await replies.waitForReply()
    } onCancel: {
      // A cancelled wait is not a timeout: complete it without an error.
      _ = replies.complete(id, .found(nil))
    }
    if reply == .ended { throw await process.waitForEnd() }
    return reply
  }

  private func add(
    _ reply: ExecReplies.Reply, to value: EnrichedLocation,
    _ report: (any PipelineEvent) -> Void
  ) -> EnrichedLocation {
    var value = value
    switch reply {
    case .found(let data?):
      guard let json = data.line else { break }
      var enrichment = value.enrichment(of: ExecEnrichment.self) ?? ExecEnrichment()
      enrichment.findings.append(.init(source: name, json: json))
      value.add(enrichment)
    case .failed(let text): report(ErrorEvent(source: name, message: text))
    case .timedOut:
      let seconds = Text.fixed(command.replySeconds, 1)
      report(ErrorEvent(source: name, message: "no reply within \(seconds) s"))
    case .found(nil), .ended: break
    }
    return value
  }
}
