// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Synchronization

/// A sink whose instances do what a test says, and tell it all.
final class ScriptedSink: Sendable {
  enum Behaviour: Sendable {
    case takes
    case fails(PluginError)
    /// Does not come back, whatever it is told, until the test lets it.
    case hangs
    /// Does not come back until the test lets it, and then with an error.
    case failsLater(PluginError)
    /// Does not come back until it is cancelled.
    case blocks
  }

  /// What an instance was asked to do.
  enum Call: Equatable, Sendable {
    case started(Int)
    case took(UInt64, by: Int)
    case refused(UInt64, by: Int)
    case stopped(Int)
    case heard(ErrorEvent)

    var isHeard: Bool { if case .heard = self { true } else { false } }
  }

  let calls = EventRecorder<Call>()
  private let script: Mutex<[Behaviour]>
  private let count = Mutex(0)
  private let endless: AsyncStream<Void>
  let release: AsyncStream<Void>.Continuation

  /// Each entry is for one location; after the last, all are taken.
  init(_ script: [Behaviour] = []) {
    self.script = Mutex(script)
    (endless, release) = AsyncStream.makeStream()
  }

  /// The numbers of the locations that were taken.
  var taken: [UInt64] {
    calls.events.compactMap { if case .took(let number, _) = $0 { number } else { nil } }
  }

  var maker: PluginSpecification.Maker {
    .sink {
      Instance(
        owner: self,
        number: self.count.withLock {
          $0 += 1
          return $0
        })
    }
  }

  private struct Instance: Sink {
    let owner: ScriptedSink
    let number: Int
    let name = "scripted"

    func start() async throws { owner.calls.record(.started(number)) }

    func receive(_ event: any PipelineEvent) async throws {
      if let error = event as? ErrorEvent { owner.calls.record(.heard(error)) }
      guard let location = (event as? LocationEvent)?.number else { return }
      switch owner.script.withLock({ $0.isEmpty ? Behaviour.takes : $0.removeFirst() }) {
      case .takes: break
      case .fails(let error):
        owner.calls.record(.refused(location, by: number))
        throw error
      case .blocks:
        owner.calls.record(.refused(location, by: number))
        let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in endless {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
      case .hangs:
        owner.calls.record(.refused(location, by: number))
        await untilReleased()
      case .failsLater(let error):
        owner.calls.record(.refused(location, by: number))
        await untilReleased()
        throw error
      }
      owner.calls.record(.took(location, by: number))
    }

    /// A task of its own hears of no cancel.
    private func untilReleased() async {
      await Task { [endless = owner.endless] in for await _ in endless { break } }.value
    }

    func stop() async { owner.calls.record(.stopped(number)) }
  }
}
