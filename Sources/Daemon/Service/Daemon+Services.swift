// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import DaemonServer
internal import FixcastConfiguration
internal import LocationServices
internal import Logging
internal import Pipeline
internal import Positioning
internal import Receivers
internal import ServiceLifecycle
internal import SystemSupport
internal import UnixSignals

extension Daemon {
  /// The time limit of a shutdown.
  ///
  /// Shorter than the time limit in the systemd unit, so that the daemon can log the services that
  /// hang; longer than the pipeline's time limit.
  static let shutdownTimeout = Duration.seconds(12)

  /// Runs all services, and stops them in the reverse order.
  ///
  /// During shutdown, the daemon first notifies the service manager, then stops the input. The
  /// sinks write their queues last.
  func runServices(
    _ server: SocketServer, _ policy: PolicyFiles, _ parts: Parts, _ reduced: ReducedWeather,
    _ hangUps: HangUpSignal, _ report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) async throws {
    let services = [
      watchdogService(server, policy, report), pipelineService(report),
      clientsService(server, report),
      DaemonService("path") { [self] in await followPath() },
      DaemonService("outlooks") { [outlooks] in await outlooks.run() },
      DaemonService("weather of cells") { await reduced.run() },
      DaemonService("sources") { await parts.sources.run() },
      DaemonService("configuration") { await parts.reloader.run(hangUps.requests) },
      DaemonService("code") { await Self.releaseCode() },
      // The last service in this list stops first, so the service manager is notified at once.
      DaemonService("end") { [notifier] in
        await PipelineRun.untilCancelled()
        try? notifier.notify(.stopping)
      },
    ]
    var configuration = ServiceGroupConfiguration(
      services: services.map {
        ServiceGroupConfiguration.ServiceConfiguration(
          service: $0, successTerminationBehavior: .cancelGroup,
          failureTerminationBehavior: .cancelGroup, serviceName: $0.description)
      }, gracefulShutdownSignals: [.sigterm, .sigint], logger: quietLogger)
    configuration.maximumGracefulShutdownDuration = Self.shutdownTimeout
    do { try await ServiceGroup(configuration: configuration).run() } catch {
      if let failure = error as? DaemonFailure { throw failure }
      if error is CancellationError { return }
      throw DaemonFailure.service("\(error)")
    }
  }

  /// The logger of the service group.
  ///
  /// Logs only warnings and errors: the group's other messages are for developers.
  private var quietLogger: Logger {
    var logger = log.logger("fixcast.lifecycle")
    logger.logLevel = .warning
    return logger
  }

  /// Releases unused pages of the program's code at intervals.
  private static func releaseCode() async {
    var wait = ProgramCode.firstSeconds
    while (try? await Task.sleep(for: .seconds(wait), tolerance: .seconds(wait / 4))) != nil {
      ProgramCode.release()
      wait = ProgramCode.intervalSeconds
    }
  }

  private func watchdogService(
    _ server: SocketServer, _ policy: PolicyFiles,
    _ report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) -> DaemonService {
    let watchdog = WatchdogService(
      notifier: notifier, parts: Self.parts(pipeline, server, policy),
      clock: dependencies.timing.clock,
      status: { [self] in self.report().summary(now: dependencies.timing.now()) }, report: report)
    return DaemonService("watchdog") { await watchdog.run() }
  }

  /// The parts that must respond before a watchdog ping is sent.
  ///
  /// A source that waits for its receiver responds. A source whose thread hangs does not respond.
  static func parts(
    _ pipeline: LocationPipeline, _ server: SocketServer, _ policy: PolicyFiles
  ) -> [WatchdogService.Part] {
    [
      .init(name: "pipeline") { _ = pipeline.counters },
      .init(name: "clients") { await server.ping() },
      .init(name: "sources") { await SourceThreads.ping() },
      .init(name: "authorization") {
        await policy.flush()
        await server.pingPolicy()
      },
    ]
  }

  private func pipelineService(
    _ report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) -> DaemonService {
    DaemonService("pipeline", end: { [pipeline] in pipeline.stop() }) { [pipeline] in
      let end = await pipeline.run()
      // Report directly to the log, because the sink that logs failures has also stopped.
      let notices = Self.stopFailures(
        pipeline.status, failures: pipeline.stopFailures, losses: pipeline.stopLosses)
      for notice in notices { report(notice) }
      switch end {
      case .requiredFailed(let name, let error):
        throw DaemonFailure.requiredPlugin(name: name, reason: "\(error)")
      case .finished, .cancelled, .noSinkLeft: return
      }
    }
  }

  /// Returns a log event for each plugin that failed or lost events during the stop, sorted by
  /// name.
  static func stopFailures(
    _ plugins: [PluginStatus], failures: [PluginKey: PluginError], losses: [PluginKey: UInt64]
  ) -> [DaemonLogEvent] {
    let keys = Set(failures.keys).union(losses.keys)
    return keys.sorted { $0.name < $1.name }.map { key in
      // For a plugin that was abandoned earlier, report its last error.
      let error =
        failures[key]
        ?? plugins.first { $0.role == key.role && $0.name == key.name }?.lastError
      return .pluginStopFailed(
        name: key.name, lostCount: losses[key] ?? 0, reason: error.map { "\($0)" })
    }
  }

  private func clientsService(
    _ server: SocketServer, _ report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) -> DaemonService {
    DaemonService("clients") { [notifier, log, address] in
      do throws(ServerFailure) {
        try await server.run {
          log.logger("fixcast").notice("serving on \(address.socketPath)")
          do throws(DatagramError) {
            try notifier.notify(.ready, .status("started"))
          } catch {
            report(.notificationFailed("\(error)"))
          }
        }
      } catch {
        throw DaemonFailure.server("\(error)")
      }
    }
  }
}
