// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Positioning
internal import SystemSupport

/// Many boards in one process, which publish through a real broker.
package enum FleetSimulator {
  /// Runs the boards until they have no unacknowledged fixes, or until the time limit.
  ///
  /// - Parameter options: The boards, and their broker.
  /// - Returns: The counts of all boards.
  /// - Throws: `FleetError` if the prefix of the ids is invalid.
  package static func run(_ options: FleetSimulatorOptions) async throws -> FleetSimulatorReport {
    raiseDescriptorLimit()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: min(System.coreCount, 4))
    var futures: [EventLoopFuture<FleetSimulatorReport>] = []
    var generator = SystemRandomNumberGenerator()
    for number in 0..<options.boardCount {
      let epoch = FleetEpoch(using: &generator)
      let loop = group.next()
      let delay = Double(number) / options.connectionsPerSecond
      guard
        let board = SimulatedBoard(options, number: number, epoch: epoch, now: MonotonicTime.now())
      else { throw FleetError.invalid(member: "b") }
      futures.append(
        loop.flatSubmit {
          let connection = SimulatedConnection(
            board, options, number: number, loop: loop, now: { MonotonicTime.now() },
            utcMilliseconds: {
              let time = SystemClock.utcNow()
              return time.secondsSince1970 * 1000 + Int64(time.nanosecond / 1_000_000)
            })
          return connection.run(delaySeconds: delay)
        })
    }
    var report = FleetSimulatorReport()
    for future in futures { report.add(try await future.get()) }
    try await group.shutdownGracefully()
    return report
  }

  /// Allows as many connections as the system does.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
