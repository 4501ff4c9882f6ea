// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import LocationServices
internal import Logging
package import Pipeline
package import Positioning

/// Asks a program about each location, and gives it on with what the program found out.
///
/// It is the operator's own program, named in the configuration, and so gets what there is in full.
/// See <doc:ExecPlugins> for what is spoken with it.
package struct ExecStage: Stage {
  /// The catalogue's entry.
  package static let plugin = Plugin.stage(
    "exec", "any program, asked by JSON lines on its standard streams",
    ExecCommand.stageSettings, callKeys: [ExecCommand.replyKey],
    make: { settings, context throws(SettingsError) in
      ExecStage(
        name: context.name ?? "exec", command: try ExecCommand(settings), clock: context.clock,
        now: context.now, tell: { [logger = context.logger] in logger.info("\($0)") })
    })

  /// The name it is reported under.
  package let name: String
  private let command: ExecCommand
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> MonotonicTime
  private let log: ExecLog

  package init(
    name: String = "exec", command: ExecCommand, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> MonotonicTime,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.command = command
    self.clock = clock
    self.now = now
    log = ExecLog(name: name, now: now, tell: tell)
  }

  /// What the program said that nobody could use.
  var counts: ExecCounts { log.counts }

  /// Runs the program until the input ends or the task is cancelled; it is gone then.
  package func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async throws {
    let replies = ExecReplies()
    let late = "an answer that nobody waited for any more"
    let process = ExecProcess(command, clock: clock, log: log, needsOutput: true) {
      [log] message in
      switch message {
      case .enriched(let id, let data)?:
        if !replies.settle(id, .found(data)) { log.passOver(\.lateReplies, late) }
      case .error(let id?, let text, _)?:
        if !replies.settle(id, .failed(text)) { log.passOver(\.lateReplies, late) }
      case .error(nil, let text, _)?: log.tellWithin("error: \(text)")
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
        deliver(add(try await reply(to: id, replies, process), to: value, report))
      }
    } catch {
      await process.stop()
      throw error
    }
    await process.stop()
  }

  private func reply(
    to id: UInt64, _ replies: ExecReplies, _ process: ExecProcess
  ) async throws(PluginError) -> ExecReplies.Reply {
    let timer = Task { [clock, command] in
      guard (try? await clock.sleep(for: .seconds(command.replySeconds))) != nil else { return }
      _ = replies.settle(id, .none)
    }
    defer { timer.cancel() }
    let reply = await withTaskCancellationHandler {
      await replies.reply()
    } onCancel: {
      // Whoever is stopped has not waited long enough to say that no answer came.
      _ = replies.settle(id, .found(nil))
    }
    if reply == .ended { throw await process.ended() }
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
      var enrichment = value.found(ExecEnrichment.self) ?? ExecEnrichment()
      enrichment.findings.append(.init(source: name, json: json))
      value.add(enrichment)
    case .failed(let text): report(ErrorEvent(source: name, message: text))
    case .none:
      let seconds = Text.fixed(command.replySeconds, 1)
      report(ErrorEvent(source: name, message: "no answer within \(seconds) s"))
    case .found(nil), .ended: break
    }
    return value
  }
}
