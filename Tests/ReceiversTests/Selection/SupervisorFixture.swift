// SPDX-License-Identifier: Apache-2.0

import Positioning

@testable import Receivers

/// A supervisor with a simulated clock and a record of its actions.
struct SupervisorFixture {
  var supervisor: SourceSupervisor
  var seconds = 100.0
  private(set) var events: [FixSourceEvent] = []
  /// The current runs, by number.
  private(set) var runs: [Int: SourcePlan] = [:]
  private(set) var finished: [String]?
  /// The number of times the discovery was restarted for refused receivers.
  private(set) var restartCount = 0
  /// The fixes sent to the supervisor, each with the selector's key of its receiver.
  private(set) var sentFixes: [(key: String, fix: Fix)] = []
  private var startedCount = 0

  init(_ plans: [SourcePlan] = [], pluggedIn: Bool = true, local: Bool = false, restartsFailed: Bool = false) {
    supervisor = SourceSupervisor(restartsFailedSources: restartsFailed, seed: 1)
    let address = local ? GPSDAddress(host: "localhost") : nil
    send(.replaced(plans, autodetects: pluggedIn, local: address))
  }

  var now: MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
  var diagnosis: SourceDiagnosis { supervisor.diagnosis(at: now) }
  var devnodes: [String] {
    runs.values.compactMap { if case .serial(let node, _, _, _) = $0 { node } else { nil } }
      .sorted()
  }
  var delivered: [String] {
    events.compactMap { if case .fix(let fix) = $0 { fix.source } else { nil } }
  }
  var losses: [SourceLoss] {
    events.compactMap { if case .lost(let loss) = $0 { loss } else { nil } }
  }
  var instruments: [InstrumentReading] { events.compactMap(\.instruments) }
  var infos: [ReceiverInfo] {
    events.compactMap { if case .receiver(let info) = $0 { info } else { nil } }
  }

  func run(of devnode: String) -> Int? {
    runs.first { if case .serial(devnode, _, _, _) = $0.value { true } else { false } }?.key
  }
  var gpsdRun: Int? {
    runs.first { if case .gpsd = $0.value { true } else { false } }?.key
  }

  mutating func send(_ event: SourceSupervisor.Event) {
    carryOut(supervisor.handle(event, at: now))
  }

  mutating func plug(_ receiver: DiscoveredReceiver, isConfiguredForGPSD: Bool = false) {
    send(.discovered(.found(receiver), isConfiguredForGPSD: isConfiguredForGPSD))
  }

  mutating func unplug(_ receiver: DiscoveredReceiver) {
    send(.discovered(.gone(receiver), isConfiguredForGPSD: false))
  }

  /// Replaces the sources, and restarts the discovery if the new sources need the discovery.
  mutating func replace(
    _ plans: [SourcePlan], pluggedIn: Bool = false, local: Bool = false,
    present: [DiscoveredReceiver] = []
  ) {
    let address = local ? GPSDAddress(host: "localhost") : nil
    send(.replaced(plans, autodetects: pluggedIn, local: address))
    guard pluggedIn || plans.contains(where: { if case .serial = $0 { true } else { false } })
    else { return }
    send(.discoveryRestarted)
    for receiver in present { plug(receiver) }
    send(.discovered(.settled, isConfiguredForGPSD: false))
  }

  /// Advances the clock, with ticks at the deadlines of the supervisor.
  mutating func advance(seconds interval: Double) {
    let end = seconds + interval
    var tickCount = 0
    while let deadline = supervisor.deadline, Double(deadline.nanoseconds) / 1e9 <= end,
      tickCount < 10_000
    {
      seconds = max(seconds, Double(deadline.nanoseconds) / 1e9)
      send(.tick)
      tickCount += 1
    }
    seconds = end
  }

  mutating func receive(_ event: FixSourceEvent, from run: Int?) {
    if let run { send(.received(run: run, event)) }
  }

  mutating func fix(_ source: String, from run: Int?, error: Double = 5, late: Double = 0) {
    let fix = Self.fix(source, at: seconds - late, error: error)
    if let run, let member = supervisor.members.member(of: run) {
      sentFixes.append((member.key(for: source), fix))
    }
    receive(.fix(fix), from: run)
  }

  mutating func end(_ run: Int?, _ failure: SourceFailure?) {
    guard let run else { return }
    runs[run] = nil
    send(.ended(run: run, failure))
  }

  /// Makes a fix whose values differ from those of all other fixes.
  static func fix(_ source: String, at seconds: Double, error: Double = 5, mode: FixMode = .threeDimensional) -> Fix {
    var fix = Fix(mode: mode)
    let whole = seconds.rounded(.down)
    fix.time = UTCTime(secondsSince1970: 1_795_000_000 + Int64(whole), nanosecond: UInt32((seconds - whole) * 1e9))
    fix.source = source
    fix.horizontalAccuracy = Accuracy(meters: error, confidencePercent: 95, basis: .dilution)
    if mode > .none {
      let part = source.utf8.reduce(0.0) { $0 + Double($1) }.truncatingRemainder(dividingBy: 60)
      let step = (seconds / 100).truncatingRemainder(dividingBy: 90)
      fix.coordinate = Coordinate(latitudeDegrees: part, longitudeDegrees: step)
      fix.altitudeMetersAboveSeaLevel = 10 * part + step
      fix.speedMetersPerSecond = 100 * part + step
    }
    return fix
  }

  private mutating func carryOut(_ actions: [SourceAction]) {
    for action in actions {
      switch action {
      case .start(let run, let plan): runs[run] = plan
      case .stop(let run): runs[run] = nil
      case .deliver(let event): events.append(event)
      case .restartDiscovery: restartCount += 1
      case .finish(let failures): finished = failures
      }
    }
  }
}

extension DiscoveredReceiver {
  /// Makes a receiver that is plugged in.
  static func plugged(_ name: String, devnode: String = "/dev/ttyACM0", role: Role = .receiver) -> DiscoveredReceiver {
    var device = UDevDevice.usb(.uBlox7, devnode: devnode, port: "1-\(name)", hasLinks: false)
    device.links = ["/dev/serial/by-id/\(name)"]
    return DiscoveredReceiver(name: name, role: role, model: nil, device: device)
  }
}
