// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Synchronization

/// A sink whose instances follow a script and record all calls.
final class ScriptedSink: Sendable {
  enum Behaviour: Sendable {
    case succeeds
    case fails(PluginError)
    /// Blocks until the test releases the call, even when cancelled; then succeeds.
    case hangs
    /// Blocks until the test releases the call, even when cancelled; then fails.
    case failsLater(PluginError)
    /// Blocks until it is cancelled, then fails.
    case blocks
  }

  /// A recorded call or result of an instance.
  enum Call: Equatable, Sendable {
    case started(Int)
    /// The instance processed the location with this number.
    case took(UInt64, by: Int)
    /// The instance failed or blocked at the location with this number.
    case refused(UInt64, by: Int)
    case stopped(Int)
    case error(ErrorEvent)

    var isError: Bool { if case .error = self { true } else { false } }
  }

  let calls = EventRecorder<Call>()
  private let script: Mutex<[Behaviour]>
  private let count = Mutex(0)
  private let endless: AsyncStream<Void>
  let release: AsyncStream<Void>.Continuation

  /// Creates a sink with one behaviour for each location; later locations are processed normally.
  init(_ script: [Behaviour] = []) {
    self.script = Mutex(script)
    (endless, release) = AsyncStream.makeStream()
  }

  /// The numbers of the locations that were processed.
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
      if let error = event as? ErrorEvent { owner.calls.record(.error(error)) }
      guard let location = (event as? LocationEvent)?.number else { return }
      switch owner.script.withLock({ $0.isEmpty ? Behaviour.succeeds : $0.removeFirst() }) {
      case .succeeds: break
      case .fails(let error):
        owner.calls.record(.refused(location, by: number))
        throw error
      case .blocks:
        owner.calls.record(.refused(location, by: number))
        await Task.untilCancelled()
        throw CancellationError()
      case .hangs:
        owner.calls.record(.refused(location, by: number))
        await waitUntilReleased()
      case .failsLater(let error):
        owner.calls.record(.refused(location, by: number))
        await waitUntilReleased()
        throw error
      }
      owner.calls.record(.took(location, by: number))
    }

    /// Waits in an unstructured task, which is not cancelled together with this task.
    private func waitUntilReleased() async {
      await Task { [endless = owner.endless] in for await _ in endless { break } }.value
    }

    func stop() async { owner.calls.record(.stopped(number)) }
  }
}
