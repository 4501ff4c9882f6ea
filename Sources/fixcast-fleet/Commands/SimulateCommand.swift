// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FleetSimulator
import MQTTClient
import SystemSupport

/// `fixcast-fleet simulate`: many boards, to plan and to test a fleet.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate boards that publish to a broker, and count what is not acknowledged.",
    discussion: """
      The consumer refuses simulated positions unless it runs with --accept-simulated. Exits 69 if no \
      broker accepts a connection, 75 if positions are not acknowledged at the end.
      """)

  @OptionGroup(title: "Broker") var broker: BrokerOptions

  @Option(name: .long, help: "Number of boards, up to 20000.")
  var boards: Int

  @Option(name: .long, help: "Seconds for which the boards make positions.")
  var seconds = 60.0

  @Option(name: .long, help: "Positions of a board in a second.")
  var hz = 1.0

  @Option(name: .long, help: "Positions in a batch, 1 to 500.")
  var batch = 30

  @Option(name: .long, help: "Seconds after which a batch is published even if it is not full.")
  var batchSeconds = 10.0

  @Option(name: .long, help: "Seconds to wait for acknowledgements after the last position.")
  var wait = 60.0

  @Option(name: .long, help: "Seed of connections that are cut and boards that are restarted.")
  var faults: UInt64?

  @Flag(name: .long, help: "Count the broker's acknowledgements, without a consumer.")
  var brokerOnly = false

  func validate() throws {
    guard (1...20_000).contains(boards) else {
      throw ValidationError("--boards must be 1 to 20000")
    }
    guard (1...500).contains(batch) else { throw ValidationError("--batch must be 1 to 500") }
    guard (0.001...10).contains(hz) else { throw ValidationError("--hz must be 0.001 to 10") }
    for (name, value) in [
      ("seconds", seconds), ("batch-seconds", batchSeconds), ("wait", wait),
    ] where !(1...86_400).contains(value) {
      throw ValidationError("--\(name) must be 1 to 86400")
    }
  }

  func run() async throws {
    let settings = try broker.settings()
    var options = FleetSimulatorOptions(
      brokers: settings.addresses, boardCount: boards, seconds: seconds, hertz: hz)
    do throws(MQTTFailure) {
      (options.tls, options.password) = (try settings.tls(), try settings.password())
    } catch { throw FleetFailure.configuration(error.text) }
    options.username = settings.username
    (options.batchFixes, options.batchSeconds) = (batch, batchSeconds)
    (options.waitSeconds, options.faultSeed) = (wait, faults)
    options.hasConsumer = !brokerOnly
    let report: FleetSimulatorReport
    do { report = try await FleetSimulator.run(options) } catch {
      throw FleetFailure.unavailable("\(error)")
    }
    print(report)
    if report.connectionCount == 0, let failure = report.failure {
      throw FleetFailure.unavailable(failure.text)
    }
    if report.lostCount > 0 { throw ExitCode(75) }
  }
}
