// SPDX-License-Identifier: Apache-2.0

import FixcastTesting

/// A board in a network namespace, connected to a second namespace that acts as the internet.
struct NetworkNamespaceFixture {
  let board = NetworkNamespace()
  let isp = NetworkNamespace()

  init(connected: Bool = true) {
    board.ip("link set lo up")
    isp.ip("link set lo up")
    if connected { connect() }
  }

  /// Connects the board, which has only its loopback interface, to the internet.
  func connect() {
    board.lay("wan0", to: "isp0", in: isp)
    isp.ip("addr add 198.51.100.1/24 dev isp0")
    isp.ip("addr add 203.0.113.10/32 dev lo")
    isp.ip("link set isp0 up")
    board.ip("addr add 198.51.100.2/24 dev wan0")
    board.ip("link set wan0 up")
    board.waitForCarrier(of: "wan0")
    addRoute()
  }

  func addRoute() { board.ip("route add default via 198.51.100.1") }
  func removeRoute() { board.ip("route del default") }

  /// Starts the program on the board.
  ///
  /// `resolver` is mounted as `/etc/resolv.conf`. `hoursAhead` sets all clocks of the program
  /// ahead.
  func use<Value>(
    _ arguments: [String], environment: [String: String] = [:], resolver: String? = nil,
    hoursAhead: Int = 0,
    isolation: isolated (any Actor)? = #isolation, _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    var words = [Program.path] + arguments
    if let resolver {
      let mounting = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\""
      words = ["unshare", "--mount", "/bin/sh", "-c", mounting, resolver] + words
    }
    if hoursAhead > 0 {
      // A time namespace shifts the monotonic clocks, so that waits until a deadline still work.
      let seconds = "\(hoursAhead * 3600)"
      // Preloads libfaketime, because the command `faketime` would remain as the parent process and
      // receive the signals. The library's shared memory is named after the process ID and is not
      // removed, so leftovers of an earlier process with the same ID are removed first.
      let wallClock = """
        rm -f /dev/shm/faketime_shm_$$ /dev/shm/sem.faketime_sem_$$
        FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME="$0" \
          LD_PRELOAD='/usr/$LIB/faketime/libfaketime.so.1' exec env "$@"
        """
      words =
        ["unshare", "--time", "--boottime", seconds, "--monotonic", seconds]
        + ["/bin/sh", "-c", wallClock, "+\(hoursAhead)h"] + words
    }
    words = board.command(words)
    return try await ChildProcess.use(
      path: words[0], arguments: Array(words.dropFirst()), environment: environment, body)
  }

  /// Runs the program on the board and waits until it exits.
  func run(_ arguments: String...) async throws -> (lines: [String], code: Int32) {
    try await run(arguments)
  }

  /// Runs the program on the board and waits until it exits.
  func run(
    _ arguments: [String], environment: [String: String] = [:], hoursAhead: Int = 0
  ) async throws -> (lines: [String], code: Int32) {
    try await use(arguments, environment: environment, hoursAhead: hoursAhead) {
      let status = await $0.wait()
      return ($0.lines.events, status >> 8 & 0xFF)
    }
  }

  /// Runs the program on the board with its output piped into a reader, as `Program.piped` does.
  func runPiped(
    _ arguments: String..., into reader: String
  ) async throws -> (lines: [String], code: Int32) {
    let words = board.command(Program.piped(arguments, into: reader))
    return try await ChildProcess.run(path: words[0], arguments: Array(words.dropFirst()))
  }
}
