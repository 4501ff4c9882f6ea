// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FleetProtocol
import Glibc
import Logging
import SystemSupport
import UnixSignals

/// `fixcast-fleet run`: the consumer.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Receive the positions of boards and write them to the database.",
    discussion: """
      Serves each of the 16 shards of the fleet that no other consumer serves. Start a second \
      consumer as a spare: it takes over within seconds. Stops on SIGTERM and SIGINT.

      Exits 64 for invalid options, 69 if the address for metrics cannot be used, 78 if the tables \
      are missing or of another version.

      Examples:
        fixcast-fleet run --broker mqtt://127.0.0.1 --database 'dbname=fleet'
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup(title: "Broker") var broker: BrokerOptions
  @OptionGroup(title: "Weather") var weather: WeatherOptions

  @Option(name: .long, help: "First part of the client ids; the second is the shard.")
  var clientIdPrefix = "fixcast-fleet"

  @Option(
    name: .long, help: "Shards to serve, such as 0123 for a quarter of the boards.",
    transform: { text in
      let shards = text.compactMap { FleetShard(String($0)) }
      guard !shards.isEmpty, shards.count == text.count, Set(shards).count == shards.count else {
        throw ValidationError("expected different digits of 0123456789abcdef")
      }
      return shards
    })
  var shards: [FleetShard] = FleetShard.allCases

  @Flag(name: .long, help: "Write fixes of simulators and recordings, too.")
  var acceptSimulated = false

  @Option(name: .long, help: "Drop fixes older than this number of months (default: never).")
  var retentionMonths: Int?

  @Option(
    name: .long, help: "Address for Prometheus, such as 127.0.0.1:9816.",
    transform: { text in
      guard let address = ListenAddress(text) else {
        throw ValidationError("expected an IP address and a port, such as 127.0.0.1:9816")
      }
      return address
    })
  var metrics: ListenAddress?

  func validate() throws {
    if let retentionMonths, retentionMonths < 1 {
      throw ValidationError("--retention-months must be at least 1")
    }
    if let metrics, !metrics.isLoopback {
      throw ValidationError("--metrics must be a loopback address")
    }
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let logger = Logger(label: "fixcast-fleet") { StreamLogHandler.standardError(label: $0) }
    var brokers = try broker.settings()
    brokers.clientIDPrefix = clientIdPrefix
    let settings = FleetConsumer.Settings(
      database: database.database, broker: brokers, shards: shards,
      acceptsSimulated: acceptSimulated, retentionMonths: retentionMonths,
      weather: try weather.settings())
    let consumer = FleetConsumer(settings, logger: logger)
    var server: MetricsServer?
    if let metrics {
      do { server = try await MetricsServer(metrics) { consumer.metrics.text } } catch {
        throw FleetFailure.unavailable("\(metrics): \(error)")
      }
    }
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let failure = await withTaskGroup(of: PostgresError?.self) { group in
      group.addTask {
        do throws(PostgresError) { try await consumer.run() } catch { return error }
        return nil
      }
      group.addTask {
        for await _ in signals { break }
        return nil
      }
      let failure = await group.next() ?? nil
      group.cancelAll()
      return failure
    }
    await server?.stop()
    if let failure { throw FleetFailure.database(failure) }
  }
}
