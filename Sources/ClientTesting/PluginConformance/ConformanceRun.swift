// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Synchronization

/// A pipeline of one plugin, with a stage behind that says what came through.
final class ConformanceRun: Sendable {
  /// Takes note of each location that came to it.
  private final class Seen: Sendable {
    let numbers = Mutex<[UInt64]>([])
  }

  private struct Behind: Stage {
    let name = "behind"
    let seen: Seen
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      for await value in input {
        if let number = value.number { seen.numbers.withLock { $0.append(number) } }
      }
    }
  }

  let pipeline: LocationPipeline
  private let key: PluginKey
  private let patience: Duration
  private let seen: Seen
  private let behind: PluginSpecification
  private let task = Mutex<Task<PipelineEnd, Never>?>(nil)

  init(_ plugin: PluginSpecification, patience: Duration) {
    self.patience = patience
    key = PluginKey(plugin.role, plugin.name)
    let seen = Seen()
    self.seen = seen
    // All that comes, so that nothing hides that it came in another order.
    behind = PluginSpecification(
      "behind", .stage { Behind(seen: seen) }, mailbox: .dropOldest(limit: 1 << 16))
    var stop = StopPolicy()
    (stop.drain, stop.cancel) = (min(stop.drain, patience), min(stop.cancel, patience))
    pipeline = LocationPipeline(
      PipelinePlan([plugin, behind]), environment: PipelineEnvironment(stop: stop))
  }

  /// The numbers of the locations that came through, in their order.
  var numbersBehind: [UInt64] { seen.numbers.withLock { $0 } }

  /// How the plugin stands.
  var status: PluginStatus {
    pipeline.status.first { $0.role == key.role && $0.name == key.name }
      ?? PluginStatus(role: key.role, name: key.name, state: .stopped)
  }

  /// Lets it run, where it does not yet.
  @discardableResult
  func begin() -> Task<PipelineEnd, Never> {
    task.withLock { task in
      let begun = task ?? Task { [pipeline] in await pipeline.run() }
      task = begun
      return begun
    }
  }

  /// Waits until something is so, as long as the plugin is not left out.
  ///
  /// - Parameter isSo: Whether it is; asked again and again, since nobody tells.
  /// - Returns: Whether it came to be so in time.
  func wait(until isSo: () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while !isSo() {
      guard status.state != .failed, clock.now < deadline,
        (try? await clock.sleep(for: .milliseconds(2))) != nil
      else { return false }
    }
    return true
  }

  /// How many events it was given, or passes over.
  var givenCount: UInt64 {
    let status = status
    return status.inCount + status.skippedCount
  }

  /// Cancels it, twice: the second cancel must change nothing.
  func cancel() {
    let task = begin()
    task.cancel()
    task.cancel()
  }

  /// Replaces the plugin.
  func change(to plugin: PluginSpecification) { pipeline.apply(PipelinePlan([plugin, behind])) }

  /// What is wrong with the plugin when the run is over; `nil` for nothing.
  func fault(ending expected: PipelineEnd) async -> String? {
    guard let end = await end() else { return "it runs on, \(patience) later" }
    let status = status
    if let error = status.lastError { return "it failed: \(error)" }
    if status.abandonedCount > 0 { return "it did not come back within \(patience)" }
    if end != expected { return "the run is \(end), not \(expected)" }
    if status.queueDepth > 0 { return "\(status.queueDepth) events still wait before it" }
    return status.state == .stopped ? nil : "it is \(status.state.rawValue)"
  }

  /// How the run ends; `nil` where that takes too long.
  ///
  /// It has ended when this returns.
  private func end() async -> PipelineEnd? {
    let task = begin()
    return await withTaskGroup(of: PipelineEnd?.self) { group in
      group.addTask { await task.value }
      group.addTask { [patience] in
        try? await ContinuousClock().sleep(for: patience)
        return nil
      }
      let first = await group.next() ?? nil
      if first == nil { task.cancel() }
      group.cancelAll()
      return first
    }
  }
}
