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
internal import SystemSupport
internal import WeatherClientLive
internal import WeatherFeature

/// The long-running daemon: sources of fixes, a pipeline, and a server for other programs.
///
/// Only the daemon opens the sources. The server authorizes each client separately.
package final class Daemon: Sendable {
  let loader: ConfigurationLoader
  let notifier: ServiceNotifier
  let log: DaemonLog
  let pipeline: LocationPipeline
  private let pipelineInput: LocationPipelineInput
  let pluginFactory: PluginFactory
  let policyPaths: PolicyPaths
  let address: DaemonAddress
  let dependencies: DaemonDependencies
  let initial: ConfigurationLoader.Loaded
  /// The status page's listening socket of the service manager; `nil` for none.
  private let webSocket: Int32?
  private let state: StateDirectory
  private let startedAt: UTCTime
  private let monotonicStart: MonotonicTime
  private let live = Mutex(Live())
  let outlooks: OutlookService

  /// The name of the log sink that is added if the configuration has no log sink.
  static let journalName = "journal"

  /// The state that exists only while the daemon runs.
  struct Live: Sendable {
    var path: NetworkPath?
    var loadedAt: MonotonicTime?
    var server: SocketServer?
    /// The daemon's own sinks, which are not part of the configuration.
    var ownSinks: [PluginSpecification] = []
    var sources: DaemonSources?
    var reloader: DaemonReloader?
    var manager: LocationManager?
    var reducedWeather: ReducedWeather?
    /// The policy that authorizes the daemon's own sinks.
    var policy: PolicyFiles?
    /// The limit on the daemon's own sinks when the policy was last read; `nil` for no limit.
    var authorizationLimit: DaemonAuthorizationStatus?
  }

  /// Creates a daemon without opening any source, socket or file.
  ///
  /// - Parameters:
  ///   - loader: Reads the configuration at each reload.
  ///   - loaded: The initial configuration.
  ///   - environment: The environment variables.
  ///   - factory: Creates the sources.
  package convenience init(
    _ loader: ConfigurationLoader, _ loaded: ConfigurationLoader.Loaded,
    environment: [String: String], factory: SourceFactory = .system
  ) {
    self.init(
      loader, loaded, environment: environment, dependencies: DaemonDependencies(factory: factory))
  }

  init(
    _ loader: ConfigurationLoader, _ loaded: ConfigurationLoader.Loaded,
    environment: [String: String], dependencies: DaemonDependencies
  ) {
    let configuration = loaded.configuration
    self.loader = loader
    var dependencies = dependencies
    // Never use the daemon's own socket as a source.
    dependencies.factory.daemon = { nil }
    let clock = BoardClock(system: dependencies.utcNow, now: dependencies.timing.now)
    dependencies.clock = clock
    dependencies.utcNow = { clock.utcNow }
    self.dependencies = dependencies
    monotonicStart = dependencies.timing.now()
    startedAt = dependencies.utcNow()
    initial = loaded
    webSocket = InheritedSocket.descriptor(named: "web", environment: { environment[$0] })
    state = StateDirectory(path: configuration.daemon.stateDirectory)
    notifier = ServiceNotifier(environment: { environment[$0] })
    log = DaemonLog(TextLogHandler.Prefix(environment: { environment[$0] }))
    log.setLevel(configuration.daemon.logLevel)
    policyPaths = PolicyPaths(
      environment: environment, stateFolder: configuration.daemon.stateDirectory)
    address = DaemonAddress(socketPath: configuration.daemon.socket)
    pluginFactory = PluginFactory(
      environment: environment, stateDirectory: configuration.daemon.stateDirectory,
      logger: log.logger("fixcast.plugin"), dependencies: dependencies)
    pipeline = LocationPipeline(PipelinePlan([]), environment: dependencies.timing)
    pipelineInput = LocationPipelineInput(pipeline)
    outlooks = OutlookService(now: dependencies.timing.now) { [pipelineInput] in
      pipelineInput.submit($0, under: $1)
    }
  }

  /// Runs until SIGTERM, SIGINT or a fatal error.
  ///
  /// - Throws: ``DaemonFailure``.
  package func run() async throws {
    let hangUps = HangUpSignal()
    let report = makeReporter()
    let now = dependencies.timing.now
    var serverConfiguration = SocketServer.Configuration(address: address, policyPaths: policyPaths)
    serverConfiguration.gpsdVersion = .libgps
    let server = SocketServer(
      serverConfiguration, now: now, utcNow: { [utcNow = dependencies.utcNow] in utcNow() },
      status: { [weak self] in self?.report().status(now: now()) ?? ServerStatus() },
      metrics: { [weak self] in self?.metrics() ?? ServerStatus() },
      reduced: { [weak self] cell in
        self?.live.withLock { $0.reducedWeather }?.cellPublished(cell)
      },
      sentencesWanted: { [demand = dependencies.factory.sentenceDemand] in demand.isPresent = $0 },
      places: { NearestPlaces.json(at: $0) },
      report: { [log] in log.logger("fixcast.authorization").notice("\($0)") },
      reportListening: { [log] in log.logger("fixcast").notice("\($0)") })
    let reduced = ReducedWeather(
      weatherQueries: { [pluginFactory] in pluginFactory.weatherQueries },
      isReachable: { [pluginFactory] in await pluginFactory.isProviderReachable() }, now: now,
      publish: { server.publish($0) })
    live.withLock { live in
      live.server = server
      live.reducedWeather = reduced
    }
    var clients = PluginSpecification(
      ClientsSink.sinkName,
      .sink { [utcNow = dependencies.utcNow] in
        ClientsSink({ server.publish($0) }, now: now, utcNow: utcNow)
      })
    clients.takes = ClientsSink.takes
    clients.mayBlock = false
    // Claim the socket first: another running daemon may use the receivers that are opened next.
    do throws(ServerFailure) { try server.claim() } catch {
      throw DaemonFailure.server("\(error)")
    }
    let policy = PolicyFiles(configured: ProcessEvidence().ownIdentity(), store: server.policyStore)
    live.withLock { $0.policy = policy }
    // Releasing the policy withdraws its requests.
    defer { live.withLock { $0.policy = nil } }
    let parts = assemble(
      policy: policy, ownSinks: [clients],
      publish: { [utcNow = dependencies.utcNow] in server.publish($0, from: $1, at: utcNow()) },
      report: report)
    defer { withExtendedLifetime(parts) {} }
    applyFeedServers(initial.configuration)
    try await runServices(server, policy, parts, reduced, hangUps, report)
  }

  /// The parts that connect the sources to the pipeline, and the reloader.
  struct Parts: Sendable {
    let sources: DaemonSources
    let reloader: DaemonReloader
    let manager: LocationManager
  }

  /// Creates and connects the parts, without running them.
  ///
  /// - Parameters:
  ///   - policy: Authorizes the daemon's own sinks.
  ///   - ownSinks: The daemon's own sinks, which are not part of the configuration.
  ///   - publish: Sends an event of a source to the clients. Must return at once.
  ///   - report: Logs an event. Must return at once.
  /// - Returns: The parts.
  func assemble(
    policy: any AuthorizationPolicy, ownSinks: [PluginSpecification],
    publish: @escaping @Sendable (FixSourceEvent, _ name: String) -> Void,
    report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) -> Parts {
    let manager = LocationManager(
      policy: policy, purpose: "Deliver locations to the sinks in this board's configuration",
      clock: dependencies.timing.clock, executor: dependencies.timing.executor)
    manager.delegate = pipelineInput
    let sources = DaemonSources(
      initial.configuration.sources, factory: dependencies.factory, clock: dependencies.clock,
      now: dependencies.timing.now,
      deliver: { [pipelineInput] event, name in
        // The clients come first, because gpsd's clients wait for each position.
        publish(event, name)
        pipelineInput.ingest(event, into: manager, device: name)
      }, report: report)
    let secretErrors = initial.secretErrors.all.map(\.description)
    if !secretErrors.isEmpty { report(.secretsUnusable(secretErrors)) }
    let reloader = DaemonReloader(
      running: initial.configuration, secretErrors: secretErrors,
      files: { [loader] in loader.files.presentPaths },
      load: { [loader] in loader.load() }, apply: { [weak self] in self?.apply($0, $1) },
      unchanged: { [weak self] in self?.applyFeedServers($0) },
      report: report)
    live.withLock { live in
      live.ownSinks = ownSinks
      live.sources = sources
      live.reloader = reloader
      live.manager = manager
      live.loadedAt = dependencies.timing.now()
    }
    if let fault = state.fault { report(.stateNotSaved(fault)) }
    applyPlan(initial.configuration)
    manager.startUpdatingLocation()
    return Parts(sources: sources, reloader: reloader, manager: manager)
  }

  /// Returns a function that writes events to the log.
  private func makeReporter() -> @Sendable (DaemonLogEvent) -> Void {
    let logger = log.logger("fixcast")
    return { event in
      for line in event.lines { logger.log(level: event.level, "\(line)") }
    }
  }

  /// The current status report.
  func report() -> DaemonReport {
    let live = live.withLock { $0 }
    var report = DaemonReport()
    report.hostName = HostName.text
    report.version = ProgramVersion.text
    report.startedAt = startedAt
    report.uptimeSeconds = dependencies.timing.now().seconds(since: monotonicStart)
    report.source = live.sources?.status ?? DaemonSources.Status()
    report.plugins = pipeline.status
    report.counters = pipeline.counters
    report.weather = pluginFactory.weatherQueries.map { _ in outlooks.lookupStatus }
    report.path = live.path
    report.authorizationLimit = authorizationLimit()
    report.loadedAt = live.loadedAt
    report.authorization = live.manager?.authorizationStatus
    report.configurationFiles = live.reloader?.status.files ?? loader.files.presentPaths
    report.configurationErrors = live.reloader?.status.errors ?? []
    report.secretErrors = live.reloader?.status.secretErrors ?? []
    report.stateFault = state.fault
    report.clockError = dependencies.clock?.systemError
    if let server = live.server {
      report.feedServers = [
        ("gpsd", server.gpsd.status), ("nmea", server.nmea.status),
        ("metrics", server.metrics.status), ("web", server.web.status),
      ]
    }
    report.lostLogLines = log.lostCount
    report.lostAuditLines = live.server?.droppedNoteCount ?? 0
    return report
  }

  /// The current status report as metrics for Prometheus.
  private func metrics() -> ServerStatus {
    var status = report().metrics(
      process: ProcessUsage.current(), now: dependencies.timing.now())
    let configuration = live.withLock { $0.reloader }?.status.running ?? initial.configuration
    status.includesPosition = configuration.metrics.includesPosition
    return status
  }

  /// The limit that the daemon's own authorization sets for its sinks; `nil` for no limit.
  ///
  /// Returns the previous value while the policy is being read.
  private func authorizationLimit() -> DaemonAuthorizationStatus? {
    let policy = live.withLock { $0.policy }
    guard let policy, let verdict = policy.lastVerdictIfAvailable else {
      return live.withLock { $0.authorizationLimit }
    }
    let authorizationLimit = DaemonAuthorizationStatus(verdict, of: policy.client, at: policyPaths)
    live.withLock { $0.authorizationLimit = authorizationLimit }
    return authorizationLimit
  }

  /// Monitors the network path, and passes each change to the status, the weather for clients with
  /// reduced accuracy, and the pipeline.
  func followPath() async {
    for await path in dependencies.paths.networkPaths() {
      let reducedWeather = live.withLock { live in
        live.path = path
        return live.reducedWeather
      }
      reducedWeather?.pathChanged()
      pipeline.submit(PathEvent(path))
    }
  }

  private func apply(_ configuration: DaemonConfiguration, _ change: ConfigurationChange) {
    live.withLock { $0.loadedAt = dependencies.timing.now() }
    if change.isLogLevelChanged { log.setLevel(configuration.daemon.logLevel) }
    applyPlan(configuration)
    live.withLock { $0.sources }?.apply(configuration.sources)
    applyFeedServers(configuration)
  }

  /// Listens for clients of gpsd, of NMEA 0183 and of the metrics, and for browsers, as configured.
  private func applyFeedServers(_ configuration: DaemonConfiguration) {
    guard let server = live.withLock({ $0.server }) else { return }
    server.gpsd.apply(configuration.gpsdServer)
    server.nmea.apply(configuration.nmeaServer)
    server.metrics.apply(configuration.metrics.server)
    var web = configuration.web
    web.inherited = webSocket
    server.web.apply(web)
  }

  private func applyPlan(_ configuration: DaemonConfiguration) {
    var plan = pluginFactory.plan(for: configuration)
    if let observer = outlooks.begin(pluginFactory.lookups(for: configuration)) {
      plan.plugins.append(observer)
    }
    plan.plugins += live.withLock { $0.ownSinks }
    // Failures must always be logged. If the configuration has no log sink, add a log sink that
    // logs no locations.
    if !configuration.plugins.contains(where: { $0.type == LogSink.plugin.name }) {
      let context = PluginContext(
        name: Self.journalName, now: dependencies.timing.now, logger: log.logger("fixcast.pipeline")
      )
      plan.plugins.append(LogSink.plugin.specification(SettingsTable(), context))
    }
    pipeline.apply(plan)
  }
}
