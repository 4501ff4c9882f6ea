// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import DaemonServer
package import FixcastConfiguration
internal import LocationServices
internal import Logging
internal import PathMonitorClient
internal import PathMonitorClientLive
internal import Pipeline
internal import Plugins
internal import Positioning
internal import Receivers
internal import Synchronization
internal import WeatherClientLive
internal import WeatherFeature

/// What runs on a board for years: the sources, opened by it alone, its own pipeline, and the server
/// that serves every other program what that one may know.
package final class Daemon: Sendable {
  let loader: ConfigurationLoader
  let notifier: ServiceNotifier
  let log: DaemonLog
  let pipeline: LocationPipeline
  private let feeder: LocationPipelineInput
  let plans: PluginFactory
  let places: PolicyPaths
  let address: DaemonAddress
  let world: DaemonDependencies
  let initial: ConfigurationLoader.Loaded
  private let state: StateDirectory
  private let startedAt: UTCTime
  private let started: MonotonicTime
  private let live = Mutex(Live())
  let outlooks: OutlookService

  /// What its own log sink is called, where the configuration names none.
  static let journalName = "journal"

  /// What is known only when it runs.
  struct Live: Sendable {
    var path: NetworkPath?
    var loadedAt: MonotonicTime?
    var server: SocketServer?
    /// Sinks that no configuration names.
    var own: [PluginSpecification] = []
    var sources: DaemonSources?
    var reloader: DaemonReloader?
    var manager: LocationManager?
    var reducedWeather: ReducedWeather?
    /// What it may know itself, and what that came to last.
    var policy: PolicyFiles?
    var ownUse: DaemonAuthorizationStatus?
  }

  /// Makes a daemon that has opened nothing yet.
  ///
  /// - Parameters:
  ///   - loader: Reads the configuration again at each reload.
  ///   - loaded: What it said first.
  ///   - environment: The variables of the environment.
  ///   - factory: Where sources are made.
  package convenience init(
    _ loader: ConfigurationLoader, _ loaded: ConfigurationLoader.Loaded,
    environment: [String: String], factory: SourceFactory = .system
  ) {
    self.init(
      loader, loaded, environment: environment, world: DaemonDependencies(factory: factory))
  }

  init(
    _ loader: ConfigurationLoader, _ loaded: ConfigurationLoader.Loaded,
    environment: [String: String], world: DaemonDependencies
  ) {
    let configuration = loaded.configuration
    self.loader = loader
    var world = world
    // Its own socket answers, and what it serves there must not be what it reads.
    world.factory.daemon = { nil }
    self.world = world
    started = world.timing.now()
    startedAt = world.utcNow()
    initial = loaded
    state = StateDirectory(path: configuration.daemon.stateDirectory)
    notifier = ServiceNotifier(environment: { environment[$0] })
    log = DaemonLog(TextLogHandler.Prefix(environment: { environment[$0] }))
    log.setLevel(Logger.Level(configuration.daemon.logLevel))
    places = PolicyPaths(
      environment: environment, stateFolder: configuration.daemon.stateDirectory)
    address = DaemonAddress(socketPath: configuration.daemon.socket)
    plans = PluginFactory(
      environment: environment, stateDirectory: configuration.daemon.stateDirectory,
      logger: log.logger("fixcast.plugin"), world: world)
    pipeline = LocationPipeline(PipelinePlan([]), environment: world.timing)
    feeder = LocationPipelineInput(pipeline)
    outlooks = OutlookService(now: world.timing.now) { [feeder] in feeder.tell($0, under: $1) }
  }

  /// Runs until SIGTERM or SIGINT, or until it cannot go on.
  ///
  /// - Throws: ``DaemonFailure``.
  package func run() async throws {
    let hangUps = HangUpSignal()
    let report = notices()
    let now = world.timing.now
    let server = SocketServer(
      SocketServer.Configuration(address: address, places: places), now: now,
      status: { [weak self] in self?.report().status(now: now()) ?? ServerStatus() },
      reduced: { [weak self] cell in
        self?.live.withLock { $0.reducedWeather }?.told(cell)
      },
      report: { [log] in log.logger("fixcast.authorization").notice("\($0)") })
    let reduced = ReducedWeather(
      weatherQueries: { [plans] in plans.weatherQueries },
      isReachable: { [plans] in await plans.isProviderReachable() }, now: now,
      publish: { server.publish($0) })
    live.withLock { live in
      live.server = server
      live.reducedWeather = reduced
    }
    var clients = PluginSpecification(
      ClientsSink.sinkName,
      .sink { [utcNow = world.utcNow] in
        ClientsSink({ server.publish($0) }, now: now, utcNow: utcNow)
      })
    clients.takes = ClientsSink.takes
    clients.mayBlock = false
    // Before anything is opened or started that another daemon may have at work.
    do throws(ServerFailure) { try server.claim() } catch {
      throw DaemonFailure.server("\(error)")
    }
    let policy = PolicyFiles(configured: ProcessEvidence().ownIdentity(), places: places)
    live.withLock { $0.policy = policy }
    // It withdraws what it asks for when it goes.
    defer { live.withLock { $0.policy = nil } }
    let parts = assemble(
      policy: policy, own: [clients], publish: { server.publish($0, from: $1) }, report: report)
    defer { withExtendedLifetime(parts) {} }
    try await group(server, policy, parts, reduced, hangUps, report)
  }

  /// What works between the sources and the pipeline, with what reads the configuration again.
  struct Parts: Sendable {
    let sources: DaemonSources
    let reloader: DaemonReloader
    let manager: LocationManager
  }

  /// Puts the parts together, none of which runs yet.
  ///
  /// - Parameters:
  ///   - policy: What the daemon itself may know.
  ///   - own: Sinks that no configuration names.
  ///   - publish: Takes what sources say to the clients; returns at once.
  ///   - report: Takes what is to be logged; returns at once.
  /// - Returns: The parts.
  func assemble(
    policy: any AuthorizationPolicy, own: [PluginSpecification],
    publish: @escaping @Sendable (FixSourceEvent, _ name: String) -> Void,
    report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) -> Parts {
    let manager = LocationManager(
      policy: policy, purpose: "Serve what this board's configuration names",
      clock: world.timing.clock, executor: world.timing.executor)
    manager.delegate = feeder
    let sources = DaemonSources(
      initial.configuration.sources, factory: world.factory, now: world.timing.now,
      deliver: { [feeder] event, name in
        feeder.ingest(event, into: manager, device: name)
        publish(event, name)
      }, report: report)
    let reloader = DaemonReloader(
      running: initial.configuration, files: { [loader] in loader.files.presentPaths },
      load: { [loader] in loader.load() }, apply: { [weak self] in self?.apply($0, $1) },
      report: report)
    live.withLock { live in
      live.own = own
      live.sources = sources
      live.reloader = reloader
      live.manager = manager
      live.loadedAt = world.timing.now()
    }
    if let fault = state.fault { report(.stateNotKept(fault)) }
    applyPlan(initial.configuration)
    manager.startUpdatingLocation()
    return Parts(sources: sources, reloader: reloader, manager: manager)
  }

  /// What it says in its log.
  private func notices() -> @Sendable (DaemonLogEvent) -> Void {
    let logger = log.logger("fixcast")
    return { notice in
      for line in notice.lines { logger.log(level: notice.level, "\(line)") }
    }
  }

  /// How it stands.
  func report() -> DaemonReport {
    let live = live.withLock { $0 }
    var report = DaemonReport()
    report.version = ProgramVersion.text
    report.startedAt = startedAt
    report.uptimeSeconds = world.timing.now().seconds(since: started)
    report.source = live.sources?.standing ?? DaemonSources.Standing()
    report.plugins = pipeline.status
    report.counters = pipeline.counters
    report.weather = plans.weatherQueries.map { _ in outlooks.standing }
    report.path = live.path
    report.ownUse = ownUse()
    report.loadedAt = live.loadedAt
    report.authorization = live.manager?.authorizationStatus
    report.configurationFiles = live.reloader?.standing.files ?? loader.files.presentPaths
    report.configurationErrors = live.reloader?.standing.errors ?? []
    report.stateFault = state.fault
    report.lostLogLines = log.lostCount
    report.lostAuditLines = live.server?.droppedNoteCount ?? 0
    return report
  }

  /// What is kept from its own sinks, as it was known last while the policy is being read.
  private func ownUse() -> DaemonAuthorizationStatus? {
    let policy = live.withLock { $0.policy }
    guard let policy, let standing = policy.standing else { return live.withLock { $0.ownUse } }
    let ownUse = DaemonAuthorizationStatus(standing, of: policy.client, at: places)
    live.withLock { $0.ownUse = ownUse }
    return ownUse
  }

  /// Follows the network's path for the clients, the status and the sinks.
  func followPath() async {
    for await path in world.paths.networkPaths() {
      let reducedWeather = live.withLock { live in
        live.path = path
        return live.reducedWeather
      }
      reducedWeather?.pathChanged()
      pipeline.submit(PathEvent(path))
    }
  }

  private func apply(_ configuration: DaemonConfiguration, _ change: ConfigurationChange) {
    live.withLock { $0.loadedAt = world.timing.now() }
    if change.isLogLevelChanged { log.setLevel(Logger.Level(configuration.daemon.logLevel)) }
    applyPlan(configuration)
    live.withLock { $0.sources }?.apply(configuration.sources)
  }

  private func applyPlan(_ configuration: DaemonConfiguration) {
    var plan = plans.plan(for: configuration)
    if let observer = outlooks.begin(plans.lookups(for: configuration)) {
      plan.plugins.append(observer)
    }
    plan.plugins += live.withLock { $0.own }
    // What fails is logged, whatever the configuration says of sinks; what is where is not.
    if !configuration.plugins.contains(where: { $0.type == LogSink.plugin.name }) {
      let context = PluginContext(
        name: Self.journalName, now: world.timing.now, logger: log.logger("fixcast.pipeline"))
      plan.plugins.append(LogSink.plugin.specification(SettingsTable(), context))
    }
    pipeline.apply(plan)
  }
}
