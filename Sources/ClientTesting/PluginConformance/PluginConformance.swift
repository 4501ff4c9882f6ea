// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Pipeline
public import Positioning

/// A conformance test suite for authors of plugins.
///
///     @Test func conforms() async {
///       let plugin = PluginSpecification("mine", .sink { MySink() })
///       #expect(await PluginConformance(plugin).breaches().isEmpty)
///     }
///
/// The suite runs the plugin in separate pipelines, with real time, and depends on no test library.
public struct PluginConformance: Sendable {
  /// The number of locations in a burst.
  private static let burst = 10_000
  /// The number of instances that are made: far more than the number of files that other code may
  /// open at the same time.
  private static let instanceCount = 256

  private let plugin: PluginSpecification
  private let timeout: Duration
  private let locations: [Location]

  /// Makes a suite for a plugin.
  ///
  /// - Parameters:
  ///   - plugin: The plugin, with its restart and stop policies.
  ///   - timeout: The timeout for each step.
  ///   - locations: The locations for the plugin, repeated as often as necessary. If the array is
  ///     empty, ninety valid locations are used.
  public init(
    _ plugin: PluginSpecification, timeout: Duration = .seconds(20), locations: [Location] = []
  ) {
    self.plugin = plugin
    self.timeout = timeout
    self.locations = locations.isEmpty ? Self.standardLocations : locations
  }

  /// Ninety valid locations at different positions, so that no gate drops them as duplicates.
  private static var standardLocations: [Location] {
    (0..<90).compactMap { degrees in
      Coordinate(latitudeDegrees: Double(degrees), longitudeDegrees: 0).map { coordinate in
        var location = Location(coordinate: coordinate)
        location.receivedAt = MonotonicTime(nanoseconds: 0)
        location.horizontalAccuracy = Accuracy(
          meters: 1, confidencePercent: 68, basis: .receiver)
        return location
      }
    }
  }

  /// Tests all rules, one after the other, and returns the breaches.
  public func breaches() async -> [PluginBreach] {
    var breaches: [PluginBreach] = []
    func check(_ rule: PluginRule, _ observation: String?) {
      if let observation { breaches.append(PluginBreach(rule: rule, observation: observation)) }
    }
    check(.opensNothingWhenMade, testOpenedFiles())
    let ending = await testEnd()
    check(.endsWithInput, ending)
    check(.endsWhenCancelled, await testCancellation())
    check(.worksAfterReplacement, await testReplacement())
    let (failure, disorder) = await testBurst()
    check(.handlesBursts, failure)
    check(.keepsOrder, disorder)
    // A plugin that does not end retains its pipeline in any case.
    if ending == nil { check(.releasesPipeline, await testRelease()) }
    return breaches
  }

  private func testOpenedFiles() -> String? {
    do {
      // Other tests in this process open files, too, but hardly so many in each of three rounds.
      let opened = try (0..<3).map { _ in
        let before = Self.descriptorCount
        let made = try (0..<Self.instanceCount).map { _ in try plugin.maker.make() }
        return withExtendedLifetime(made) { Self.descriptorCount - before }
      }.min()
      guard let opened, opened >= Self.instanceCount / 2 else { return nil }
      return "\(Self.instanceCount) instances opened \(opened) files"
    } catch {
      return "the plugin cannot be made: \(error)"
    }
  }

  private static var descriptorCount: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  private func testEnd() async -> String? {
    let run = ConformanceRun(plugin, timeout: timeout)
    submit(1, to: run)
    run.pipeline.finish()
    return await run.fault(ending: .finished)
      ?? (run.status.inCount == 0 ? "the plugin received nothing" : nil)
  }

  private func testCancellation() async -> String? {
    let run = ConformanceRun(plugin, timeout: timeout)
    submit(1, to: run)
    run.begin()
    // The plugin should receive events before it is cancelled. After the timeout, it is cancelled
    // anyway.
    _ = await run.wait { run.eventCount > 0 }
    run.cancel()
    return await run.fault(ending: .cancelled)
  }

  private func testReplacement() async -> String? {
    let run = ConformanceRun(plugin, timeout: timeout)
    run.begin()
    submit(1, to: run)
    let firstReceived = await run.wait { run.eventCount == 1 }
    var other = plugin
    other.settings = OtherSettings()
    run.change(to: other)
    // After the restart, the first instance receives nothing more.
    let isRestarted = await run.wait { run.status.restartCount == 1 }
    submit(2, to: run)
    let secondReceived = await run.wait { run.eventCount == 2 }
    run.pipeline.finish()
    if let fault = await run.fault(ending: .finished) { return fault }
    if !firstReceived { return "the plugin received nothing" }
    if !isRestarted { return "no new instance was made" }
    return secondReceived ? nil : "the new instance received nothing"
  }

  private func testBurst() async -> (failure: String?, disorder: String?) {
    let run = ConformanceRun(plugin, timeout: timeout)
    run.begin()
    for number in 1...Self.burst { submit(number, to: run) }
    run.pipeline.finish()
    let failure = await run.fault(ending: .finished)
    let status = run.status
    let count = status.inCount + status.droppedCount + status.skippedCount
    let lost =
      count < Self.burst ? "only \(count) of \(Self.burst) locations are accounted for" : nil
    let overflow =
      status.queueHighWater > status.queueLimit
      ? "\(status.queueHighWater) locations were queued, above the limit of \(status.queueLimit)"
      : nil
    let numbers = run.deliveredNumbers
    let disorder = zip(numbers, numbers.dropFirst()).first { $0 >= $1 }
    return (
      failure ?? lost ?? overflow,
      disorder.map { "number \($0.1) was delivered after number \($0.0)" }
    )
  }

  private func testRelease() async -> String? {
    weak var released: LocationPipeline?
    do {
      let run = ConformanceRun(plugin, timeout: timeout)
      released = run.pipeline
      submit(1, to: run)
      run.pipeline.finish()
      // The run has no separate task, which might retain the pipeline for longer.
      await run.pipeline.run()
    }
    return released == nil ? nil : "the pipeline was not released"
  }

  private func submit(_ number: Int, to run: ConformanceRun) {
    run.pipeline.submit(locations[(number - 1) % locations.count])
  }
}

/// Settings that differ from those of any plugin.
private struct OtherSettings: Equatable, Sendable {}
