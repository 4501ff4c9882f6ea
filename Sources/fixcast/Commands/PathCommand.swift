// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Glibc
import PathMonitorClient
import PathMonitorClientLive
import WeatherClientLive

/// `fixcast path`: the network path, as lookups are gated by it.
struct PathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Say whether there is a way out, over what, and why not.",
    discussion: """
      Asks the kernel, and NetworkManager where it runs for what bytes cost; nobody on the \
      network unless --verify names a page to ask for: one that answers 204 by agreement, such as \
      http://HOST/generate_204. A path is a route to try, not a \
      promise; only --verify finds portals and dead networks behind the next hop.

      Exits 69 where there is no way out.
      """)

  @Flag(name: .long, help: "Go on, and tell each change.")
  var watch = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Option(
    name: .long,
    help: "A host or address to reach, else that of --verify, else the internet."
  )
  var to: String?

  @Option(
    name: .long,
    help: "Ask for a page that answers 204, and say what became of it; http:// to find portals.")
  var verify: String?

  @Option(
    name: .long,
    help: "Seconds that the page may take, and its server's name as many; 3 by default.")
  var timeout: Double?

  func validate() throws {
    if let timeout {
      guard (0.1...60).contains(timeout) else {
        throw ValidationError("--timeout takes seconds from 0.1 to 60, not \(timeout).")
      }
      guard verify != nil else {
        throw ValidationError("--timeout is about --verify: name a page to ask for.")
      }
    }
    if let to, !DestinationHost.isUsable(to) {
      throw ValidationError("--to takes a name or an address, without a port, not '\(to)'.")
    }
    if let flaw = verify.flatMap({ ProviderURL.flaw(of: $0, mayHaveQuery: true) }) {
      throw ValidationError("--verify \(flaw).")
    }
    if watch, verify != nil {
      throw ValidationError("--verify asks once: leave out --watch.")
    }
  }

  func run() async throws {
    let output = Output(json: json)
    // What a probe finds out belongs to the path that it takes.
    let host = to ?? verify.flatMap(DestinationHost.host(ofURL:))
    let destination = host.map(PathDestination.init(host:)) ?? .internet
    let printer = PathPrinter(output: output)
    if watch {
      let isRead = await Self.follow(.live(to: destination), printer)
      try output.check()
      guard isRead else { throw Output.failure(EPIPE) }
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
        // Nobody but the server itself can answer that, so that a portal looks like a dead network.
        let isSecret = verify.lowercased().hasPrefix("https:")
        throw CommandFailure.unavailable(
          "no answer as agreed from \(verify); see above for why"
            + (isSecret ? ". A portal is found over http:// only: ask for such a page" : ""))
      }
    }
    if !path.isSatisfied {
      throw CommandFailure.unavailable(
        "no way out: \(path.reason?.text ?? path.status.rawValue); fixcast doctor says what helps")
    }
  }

  /// Prints what changes until a signal, a write that fails, or the end of its reader.
  ///
  /// - Returns: Whether there is a reader still.
  private static func follow(_ monitor: PathMonitorClient, _ printer: PathPrinter) async -> Bool {
    let stop = StopSignals()
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await path in monitor.networkPaths() {
          guard (try? await printer.printChange(path)) != nil else { return false }
        }
        return true
      }
      group.addTask { await stop.waitWhileRead() }
      let isRead = await group.next() ?? true
      group.cancelAll()
      return isRead
    }
  }
}
