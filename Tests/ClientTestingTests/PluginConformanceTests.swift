// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Synchronization
import Testing

/// The suite for plugins, tried on plugins that keep to the rules and on others that do not.
@Suite("Plugin conformance suite", .timeLimit(.minutes(1)))
struct PluginConformanceTests {
  /// A sink of closures.
  private struct Made: Sink {
    let name = "made"
    var take: @Sendable (UInt64) throws -> Void = { _ in }
    var held: (any Sendable)?
    func receive(_ event: any PipelineEvent) async throws {
      if let number = (event as? LocationEvent)?.number { try take(number) }
    }
  }

  /// A stage of a closure.
  private struct Looking: Stage {
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

  @Test("what keeps to the rules breaks none, as a sink and as a stage")
  func good() async {
    #expect(await rules(.sink { Made() }) == [])
    #expect(
      await rules(
        .stage {
          Looking { input, deliver in for await value in input { deliver(value) } }
        }) == [])
  }

  @Test("what opens a file when it is made is found, and what cannot be made")
  func opens() async {
    #expect(await rules(.sink { Made(held: OpenFile()) }) == [.opensNothingWhenMade])
    #expect(await rules(.sink { throw Wrong() }).first == .opensNothingWhenMade)
  }

  @Test("what fails is found where it does: at the first, in a burst, or beside another instance")
  func fails() async {
    let atFirst = await rules(.sink { Made(take: { _ in throw Wrong() }) })
    #expect(atFirst.contains(.endsWithInput))
    let inABurst = await rules(
      .sink { Made(take: { if $0 == 100 { throw Wrong() } }) },
      mailbox: .dropOldest(limit: 1 << 16))
    #expect(inABurst == [.handlesBursts])
    // One that is given the second and was not given the first has come after another.
    let again = await rules(
      .sink {
        let seen = EventRecorder<UInt64>()
        return Made(take: { number in
          seen.record(number)
          if number == 2, !seen.events.contains(1) { throw Wrong() }
        })
      }, mailbox: .dropOldest(limit: 1 << 16))
    #expect(again == [.worksAfterReplacement])
  }

  @Test("what goes on after its input, or after a cancel, is found and left to itself")
  func endless() async {
    // Two, since a cancel ends a stream for all who listen.
    let (stream, other) = (
      AsyncStream.makeStream(of: Never.self), AsyncStream.makeStream(of: Never.self)
    )
    let endless = await rules(
      .stage { [stream = stream.stream] in Looking { _, _ in for await _ in stream {} } },
      timeout: .milliseconds(50))
    #expect(endless.contains(.endsWithInput))
    let deaf = await rules(
      .stage { [stream = other.stream] in
        Looking { _, _ in await Task { for await _ in stream {} }.value }
      }, timeout: .milliseconds(50))
    #expect(deaf.contains(.endsWithInput) && deaf.contains(.endsWhenCancelled))
    stream.continuation.finish()
    other.continuation.finish()
  }

  @Test("a stage that gives on the newest first is found")
  func disorder() async {
    let backwards = await rules(
      .stage {
        Looking { input, deliver in
          var all: [EnrichedLocation] = []
          for await value in input { all.append(value) }
          for value in all.reversed() { deliver(value) }
        }
      }, mailbox: .dropOldest(limit: 1 << 16))
    #expect(backwards == [.keepsOrder])
  }

  @Test("what keeps hold of its pipeline is found")
  func stays() async {
    let kept = Mutex<[Looking.Deliver]>([])
    let keeping = await rules(
      .stage {
        Looking { input, deliver in
          kept.withLock { $0.append(deliver) }
          for await value in input { deliver(value) }
        }
      })
    #expect(keeping == [.releasesPipeline])
    kept.withLock { $0 = [] }
  }
}
