// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import Glibc
import PathMonitorClient
import PathMonitorClientLive
import SystemSupport
import WeatherClientLive

/// `fixcast path`: the network path that gates weather lookups.
struct PathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Print whether there is a network path, its interfaces, and the reason if not.",
    discussion: """
      Reads the kernel's routes, and asks NetworkManager, if it is running, whether the connection \
      is metered. Sends nothing to the network unless --verify names a page to fetch, which must \
      return status 204, such as http://HOST/generate_204. A path is a route that may work; only \
      --verify detects captive portals and networks without internet.

      Exits 69 if there is no path.

      Examples:
        fixcast path
        fixcast path --watch --json
        fixcast path --verify http://example.org/generate_204
      """)

  @Flag(name: .long, help: "Keep running and report every change.")
  var watch = false

  @Flag(name: .long, help: "Print one JSON object per line.")
  var json = false

  @Option(
    name: .long,
    help: "Host or address to reach (default: the host of --verify, else the internet)."
  )
  var to: String?

  @Option(
    name: .long,
    help: "Fetch a page that returns 204 and report the result; use http:// to detect portals.")
  var verify: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: "Time limit in seconds, separately for the name lookup and the page (default: 3).")
  var timeout: Double?

  func validate() throws {
    if let timeout {
      guard (0.1...60).contains(timeout) else {
        throw ValidationError("--timeout takes seconds from 0.1 to 60, not \(timeout).")
      }
      guard verify != nil else {
        throw ValidationError("--timeout requires --verify.")
      }
    }
    if let to, (try? Host(to)).map(\.hasZone) ?? true {
      throw ValidationError("--to takes a name or an address, without a port, not '\(to)'.")
    }
    if let flaw = verify.flatMap({ ProviderURL.flaw(of: $0, mayHaveQuery: true) }) {
      throw ValidationError("--verify \(flaw).")
    }
    if watch, verify != nil {
      throw ValidationError("--verify and --watch cannot be combined.")
    }
  }

  func run() async throws {
    let output = Output(json: json)
    // Without --to, the path to the host of the --verify page is evaluated.
    let host = to ?? verify.flatMap(ProviderURL.host(of:))
    let destination = host.map(PathDestination.init(host:)) ?? .internet
    let printer = PathPrinter(output: output)
    if watch {
      let isOutputOpen = await Self.follow(.live(to: destination), printer)
      try output.check()
      guard isOutputOpen else { throw Output.failure(EPIPE) }
      return
    }
    var path = NetworkPath.present(to: destination)
    var outcome: PathVerifier.Outcome?
    if let verify {
      let verifier = PathVerifier(url: verify, deadline: .seconds(timeout ?? 3))
      outcome = await (json ? WaitNotice.silent : .whenSlow("waiting for \(verify)"))
        .during { await verifier.verify() }
      path.verified = outcome.map(NetworkPath.Verification.init)
    }
    try? await printer.print(path)
    try output.check()
    if let outcome, let verify {
      try? printer.print(outcome, of: verify)
      try output.check()
      if outcome != .verified {
        // A portal cannot imitate an https server, so the result is the same as without internet.
        let isHTTPS = verify.lowercased().hasPrefix("https:")
        throw CommandFailure.unavailable(
          "\(verify) did not return status 204; see above for the reason"
            + (isHTTPS ? "; to detect a portal, use a page with http://" : ""))
      }
    }
    if !path.isSatisfied {
      throw CommandFailure.unavailable(
        "no network path: \(path.reason?.text ?? path.status.rawValue); see: fixcast doctor")
    }
  }

  /// Prints changes until a signal arrives, a write fails, or the reader of standard output closes
  /// the pipe.
  ///
  /// - Returns: Whether standard output still has a reader.
  private static func follow(_ monitor: PathMonitorClient, _ printer: PathPrinter) async -> Bool {
    let stop = StopSignals()
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await path in monitor.networkPaths() {
          guard (try? await printer.printChange(path)) != nil else { return false }
        }
        return true
      }
      group.addTask { await stop.waitWhileOutputIsOpen() }
      let isOutputOpen = await group.next() ?? true
      group.cancelAll()
      return isOutputOpen
    }
  }
}
