// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Synchronization
import Testing

/// The conformance suite for plugins, tested with correct and incorrect plugins.
@Suite("Plugin conformance suite", .timeLimit(.minutes(5)))
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
    let body: @Sendable (AsyncStream<EnrichedLocation>, @escaping Deliver) async -> Void
    func run(
      _ input: AsyncStream<EnrichedLocation>, deliver: @escaping Deliver,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async { await body(input, deliver) }
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

  @Test func `the conformance suite finds no breaches in a correct sink and a correct stage`() async {
    #expect(await rules(.sink { ClosureSink() }) == [])
    #expect(
      await rules(
        .stage {
          ClosureStage { input, deliver in for await value in input { deliver(value) } }
        }) == [])
  }

  @Test func `the conformance suite detects a plugin that opens a file in init or cannot be made`() async {
    #expect(await rules(.sink { ClosureSink(held: OpenFile()) }) == [.opensNothingWhenMade])
    #expect(await rules(.sink { throw Wrong() }).first == .opensNothingWhenMade)
  }

  @Test func `the conformance suite detects a failure at the start, in a burst or after replacement`() async {
    let atFirst = await rules(.sink { ClosureSink(take: { _ in throw Wrong() }) })
    #expect(atFirst.contains(.endsWithInput))
    let inABurst = await rules(
      .sink { ClosureSink(take: { if $0 == 100 { throw Wrong() } }) },
      mailbox: .dropOldest(limit: 1 << 16))
    #expect(inABurst == [.handlesBursts])
    // An instance that receives the second location but not the first is a replacement.
    let afterReplacement = await rules(
      .sink {
        let seen = EventRecorder<UInt64>()
        return ClosureSink(take: { number in
          seen.record(number)
          if number == 2, !seen.events.contains(1) { throw Wrong() }
        })
      }, mailbox: .dropOldest(limit: 1 << 16))
    #expect(afterReplacement == [.worksAfterReplacement])
  }

  @Test func `the conformance suite detects a plugin that does not end with its input or when cancelled`() async {
    // There are two streams, because cancelling one reader ends a stream for all its readers.
    let (stream, other) = (
      AsyncStream.makeStream(of: Never.self), AsyncStream.makeStream(of: Never.self)
    )
    let endless = await rules(
      .stage { [stream = stream.stream] in ClosureStage { _, _ in for await _ in stream {} } },
      timeout: .milliseconds(50))
    #expect(endless.contains(.endsWithInput))
    let uncancellable = await rules(
      .stage { [stream = other.stream] in
        ClosureStage { _, _ in await Task { for await _ in stream {} }.value }
      }, timeout: .milliseconds(50))
    #expect(uncancellable.contains(.endsWithInput) && uncancellable.contains(.endsWhenCancelled))
    stream.continuation.finish()
    other.continuation.finish()
  }

  @Test func `the conformance suite detects a stage that reverses the order of locations`() async {
    let reversing = await rules(
      .stage {
        ClosureStage { input, deliver in
          var all: [EnrichedLocation] = []
          for await value in input { all.append(value) }
          for value in all.reversed() { deliver(value) }
        }
      }, mailbox: .dropOldest(limit: 1 << 16))
    #expect(reversing == [.keepsOrder])
  }

  @Test func `the conformance suite detects a plugin that retains its pipeline`() async {
    let retained = Mutex<[ClosureStage.Deliver]>([])
    let retaining = await rules(
      .stage {
        ClosureStage { input, deliver in
          retained.withLock { $0.append(deliver) }
          for await value in input { deliver(value) }
        }
      })
    #expect(retaining == [.releasesPipeline])
    retained.withLock { $0 = [] }
  }
}
