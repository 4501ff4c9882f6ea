// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Synchronization

/// A pipeline of the tested plugin and a following stage that records the delivered locations.
final class ConformanceRun: Sendable {
  /// The numbers of the recorded locations.
  private final class Recording: Sendable {
    let numbers = Mutex<[UInt64]>([])
  }

  private struct Recorder: Stage {
    let name = "recorder"
    let recording: Recording
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      for await value in input {
        if let number = value.number { recording.numbers.withLock { $0.append(number) } }
      }
    }
  }

  let pipeline: LocationPipeline
  private let key: PluginKey
  private let timeout: Duration
  private let recording: Recording
  private let recorder: PluginSpecification
  private let task = Mutex<Task<PipelineEnd, Never>?>(nil)

  init(_ plugin: PluginSpecification, timeout: Duration) {
    self.timeout = timeout
    key = PluginKey(plugin.role, plugin.name)
    let recording = Recording()
    self.recording = recording
    // The mailbox is large enough for all locations, so that a wrong order is always detected.
    recorder = PluginSpecification(
      "recorder", .stage { Recorder(recording: recording) }, mailbox: .dropOldest(limit: 1 << 16))
    var stop = StopPolicy()
    (stop.drain, stop.cancel) = (min(stop.drain, timeout), min(stop.cancel, timeout))
    pipeline = LocationPipeline(
      PipelinePlan([plugin, recorder]), environment: PipelineEnvironment(stop: stop))
  }

  /// The numbers of the locations that the plugin delivered, in order.
  var deliveredNumbers: [UInt64] { recording.numbers.withLock { $0 } }

  /// The plugin's status.
  var status: PluginStatus {
    pipeline.status.first { $0.role == key.role && $0.name == key.name }
      ?? PluginStatus(role: key.role, name: key.name, state: .stopped)
  }

  /// Starts the pipeline, unless it is running, and returns its task.
  @discardableResult
  func begin() -> Task<PipelineEnd, Never> {
    task.withLock { task in
      let startedTask = task ?? Task { [pipeline] in await pipeline.run() }
      task = startedTask
      return startedTask
    }
  }

  /// Polls a condition until it is true, the plugin fails, or the timeout is reached.
  ///
  /// - Returns: Whether the condition became true.
  func wait(until condition: () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    while !condition() {
      guard status.state != .failed, clock.now < deadline,
        (try? await clock.sleep(for: .milliseconds(2))) != nil
      else { return false }
    }
    return true
  }

  /// The number of events that the plugin has received or that have bypassed the plugin.
  var eventCount: UInt64 {
    let status = status
    return status.inCount + status.skippedCount
  }

  /// Cancels the pipeline twice; the second cancellation must have no effect.
  func cancel() {
    let task = begin()
    task.cancel()
    task.cancel()
  }

  /// Replaces the plugin.
  func change(to plugin: PluginSpecification) { pipeline.apply(PipelinePlan([plugin, recorder])) }

  /// Waits for the end of the run and describes the plugin's first fault; `nil` if none exists.
  func fault(ending expected: PipelineEnd) async -> String? {
    guard let end = await end() else { return "the plugin is still running after \(timeout)" }
    let status = status
    if let error = status.lastError { return "the plugin failed: \(error)" }
    if status.abandonedCount > 0 { return "the plugin did not return within \(timeout)" }
    if end != expected { return "the run is \(end), not \(expected)" }
    if status.queueDepth > 0 { return "\(status.queueDepth) events are still queued" }
    return status.state == .stopped ? nil : "the plugin is \(status.state.rawValue)"
  }

  /// Returns the result of the run; `nil` after the timeout.
  ///
  /// The run has ended when this returns.
  private func end() async -> PipelineEnd? {
    let task = begin()
    return await withTaskGroup(of: PipelineEnd?.self) { group in
      group.addTask { await task.value }
      group.addTask { [timeout] in
        try? await ContinuousClock().sleep(for: timeout)
        return nil
      }
      let first = await group.next() ?? nil
      if first == nil { task.cancel() }
      group.cancelAll()
      return first
    }
  }
}
