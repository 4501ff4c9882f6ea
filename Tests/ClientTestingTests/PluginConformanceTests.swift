// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Synchronization
import Testing

/// The conformance suite for plugins, tested with correct and incorrect plugins.
@Suite("Plugin conformance suite", .timeLimit(.minutes(1)))
struct PluginConformanceTests {
  /// A sink that calls a closure.
  private struct ClosureSink: Sink {
    let name = "made"
    var take: @Sendable (UInt64) throws -> Void = { _ in }
    var held: (any Sendable)?
    func receive(_ event: any PipelineEvent) async throws {
      if let number = (event as? LocationEvent)?.number { try take(number) }
    }
  }

  /// A stage that calls a closure.
  private struct ClosureStage: Stage {
    typealias Deliver = @Sendable (EnrichedLocation) -> Void
    let name = "looking"
    let look: @Sendable (AsyncStream<EnrichedLocation>, @escaping Deliver) async -> Void
    func run(
      _ input: AsyncStream<EnrichedLocation>, deliver: @escaping Deliver,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async { await look(input, deliver) }
  }

  private final class OpenFile: Sendable {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    deinit { close(descriptor) }
  }

  private struct Wrong: Error {}

  private func rules(
    _ maker: PluginSpecification.Maker, mailbox: MailboxPolicy? = nil,
    timeout: Duration = .seconds(20)
  ) async -> [PluginRule] {
    let plugin = PluginSpecification("plugin", maker, mailbox: mailbox, restart: .never)
    return await PluginConformance(plugin, timeout: timeout).breaches().map(\.rule)
  }

  @Test("a correct sink and a correct stage have no breaches")
  func good() async {
    #expect(await rules(.sink { ClosureSink() }) == [])
    #expect(
      await rules(
        .stage {
          ClosureStage { input, deliver in for await value in input { deliver(value) } }
        }) == [])
  }

  @Test("a plugin that opens a file in init or cannot be made is detected")
  func opens() async {
    #expect(await rules(.sink { ClosureSink(held: OpenFile()) }) == [.opensNothingWhenMade])
    #expect(await rules(.sink { throw Wrong() }).first == .opensNothingWhenMade)
  }

  @Test("a plugin that fails at the start, in a burst or after replacement is detected")
  func fails() async {
    let atFirst = await rules(.sink { ClosureSink(take: { _ in throw Wrong() }) })
    #expect(atFirst.contains(.endsWithInput))
    let inABurst = await rules(
      .sink { ClosureSink(take: { if $0 == 100 { throw Wrong() } }) },
      mailbox: .dropOldest(limit: 1 << 16))
    #expect(inABurst == [.handlesBursts])
    // An instance that receives the second location but not the first is a replacement.
    let again = await rules(
      .sink {
        let seen = EventRecorder<UInt64>()
        return ClosureSink(take: { number in
          seen.record(number)
          if number == 2, !seen.events.contains(1) { throw Wrong() }
        })
      }, mailbox: .dropOldest(limit: 1 << 16))
    #expect(again == [.worksAfterReplacement])
  }

  @Test("a plugin that does not end with its input or when cancelled is detected")
  func endless() async {
    // There are two streams, because cancelling one reader ends a stream for all its readers.
    let (stream, other) = (
      AsyncStream.makeStream(of: Never.self), AsyncStream.makeStream(of: Never.self)
    )
    let endless = await rules(
      .stage { [stream = stream.stream] in ClosureStage { _, _ in for await _ in stream {} } },
      timeout: .milliseconds(50))
    #expect(endless.contains(.endsWithInput))
    let deaf = await rules(
      .stage { [stream = other.stream] in
        ClosureStage { _, _ in await Task { for await _ in stream {} }.value }
      }, timeout: .milliseconds(50))
    #expect(deaf.contains(.endsWithInput) && deaf.contains(.endsWhenCancelled))
    stream.continuation.finish()
    other.continuation.finish()
  }

  @Test("a stage that reverses the order is detected")
  func disorder() async {
    let backwards = await rules(
      .stage {
        ClosureStage { input, deliver in
          var all: [EnrichedLocation] = []
          for await value in input { all.append(value) }
          for value in all.reversed() { deliver(value) }
        }
      }, mailbox: .dropOldest(limit: 1 << 16))
    #expect(backwards == [.keepsOrder])
  }

  @Test("a plugin that retains its pipeline is detected")
  func stays() async {
    let kept = Mutex<[ClosureStage.Deliver]>([])
    let keeping = await rules(
      .stage {
        ClosureStage { input, deliver in
          kept.withLock { $0.append(deliver) }
          for await value in input { deliver(value) }
        }
      })
    #expect(keeping == [.releasesPipeline])
    kept.withLock { $0 = [] }
  }
}
