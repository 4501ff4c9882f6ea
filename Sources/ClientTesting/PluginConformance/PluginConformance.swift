// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
public import Pipeline
public import Positioning

/// What every plugin keeps to, whatever it does: a suite for who writes one.
///
///     @Test func conforms() async {
///       let plugin = PluginSpecification("mine", .sink { MySink() })
///       #expect(await PluginConformance(plugin).breaches().isEmpty)
///     }
///
/// It runs the plugin in pipelines of its own, on the real clock, and depends on no test library.
public struct PluginConformance: Sendable {
  /// How many locations a burst has.
  private static let burst = 10_000
  /// Far more than what anything else in this process may open meanwhile.
  private static let madeCount = 256

  private let plugin: PluginSpecification
  private let patience: Duration
  private let locations: [Location]

  /// Describes a plugin.
  ///
  /// - Parameters:
  ///   - plugin: The plugin, with how it is looked after.
  ///   - patience: How long to wait for what should happen, before it counts as missing.
  ///   - locations: What it is given, from the first on and again; where empty, ninety that nothing is
  ///     wrong with.
  public init(
    _ plugin: PluginSpecification, patience: Duration = .seconds(20), locations: [Location] = []
  ) {
    self.plugin = plugin
    self.patience = patience
    self.locations = locations.isEmpty ? Self.standardLocations : locations
  }

  /// Different from those before and after, so that no gate takes it for the same.
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

  /// Tries all rules, one after the other.
  ///
  /// - Returns: The rules that the plugin breaks, each with what was found instead.
  public func breaches() async -> [PluginBreach] {
    var breaches: [PluginBreach] = []
    func check(_ rule: PluginRule, _ found: String?) {
      if let found { breaches.append(PluginBreach(rule: rule, found: found)) }
    }
    check(.opensNothingWhenMade, whatIsOpened())
    let ending = await howItEnds()
    check(.endsWithInput, ending)
    check(.endsWhenCancelled, await howItIsCancelled())
    check(.worksAgain, await howItIsReplaced())
    let (failure, disorder) = await howItBearsABurst()
    check(.bearsBursts, failure)
    check(.keepsOrder, disorder)
    // One that does not end keeps it in any case.
    if ending == nil { check(.leavesNothing, await whatStays()) }
    return breaches
  }

  private func whatIsOpened() -> String? {
    let before = Self.descriptorCount
    do {
      let made = try (0..<Self.madeCount).map { _ in try plugin.maker.make() }
      let opened = withExtendedLifetime(made) { Self.descriptorCount - before }
      return opened < Self.madeCount / 2 ? nil : "\(made.count) of them opened \(opened) files"
    } catch {
      return "it cannot be made: \(error)"
    }
  }

  private static var descriptorCount: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  private func howItEnds() async -> String? {
    let run = ConformanceRun(plugin, patience: patience)
    submit(1, to: run)
    run.pipeline.finish()
    return await run.fault(ending: .finished)
      ?? (run.status.inCount == 0 ? "it took nothing" : nil)
  }

  private func howItIsCancelled() async -> String? {
    let run = ConformanceRun(plugin, patience: patience)
    submit(1, to: run)
    run.begin()
    // Before it is at work there is nothing to be cancelled; one that takes nothing is cancelled too.
    _ = await run.wait { run.givenCount > 0 }
    run.cancel()
    return await run.fault(ending: .cancelled)
  }

  private func howItIsReplaced() async -> String? {
    let run = ConformanceRun(plugin, patience: patience)
    run.begin()
    submit(1, to: run)
    let isFirst = await run.wait { run.givenCount == 1 }
    var other = plugin
    other.settings = OtherSettings()
    run.change(to: other)
    // The first is given nothing more by then.
    let isMade = await run.wait { run.status.restartCount == 1 }
    submit(2, to: run)
    let isSecond = await run.wait { run.givenCount == 2 }
    run.pipeline.finish()
    if let fault = await run.fault(ending: .finished) { return fault }
    if !isFirst { return "it took nothing" }
    if !isMade { return "no other was made in its place" }
    return isSecond ? nil : "the other took nothing"
  }

  private func howItBearsABurst() async -> (failure: String?, disorder: String?) {
    let run = ConformanceRun(plugin, patience: patience)
    run.begin()
    for number in 1...Self.burst { submit(number, to: run) }
    run.pipeline.finish()
    let failure = await run.fault(ending: .finished)
    let status = run.status
    let count = status.inCount + status.droppedCount + status.skippedCount
    let lost = count < Self.burst ? "\(count) of \(Self.burst) locations are accounted for" : nil
    let most =
      status.queueHighWater > status.queueLimit
      ? "\(status.queueHighWater) waited before it, of \(status.queueLimit) at most" : nil
    let numbers = run.numbersBehind
    let disorder = zip(numbers, numbers.dropFirst()).first { $0 >= $1 }
    return (
      failure ?? lost ?? most, disorder.map { "number \($0.1) came after number \($0.0)" }
    )
  }

  private func whatStays() async -> String? {
    weak var gone: LocationPipeline?
    do {
      let run = ConformanceRun(plugin, patience: patience)
      gone = run.pipeline
      submit(1, to: run)
      run.pipeline.finish()
      // Without a task of its own, which might hold it a moment longer.
      await run.pipeline.run()
    }
    return gone == nil ? nil : "something still holds it"
  }

  private func submit(_ number: Int, to run: ConformanceRun) {
    run.pipeline.submit(locations[(number - 1) % locations.count])
  }
}

/// Settings that are equal to no others.
private struct OtherSettings: Equatable, Sendable {}
