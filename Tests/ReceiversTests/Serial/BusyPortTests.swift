// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import SystemSupport
import Testing

@testable import Receivers

/// Opening of ports that another program has open.
@Suite(.timeLimit(.minutes(5))) struct BusyPortTests {
  static let hasPython = access("/usr/bin/python3", X_OK) == 0

  /// Runs a program that opens a port, prints its process id and keeps the port open.
  private func hold<Value>(
    _ devnode: String, _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let script = """
      import os, signal
      d = os.open("\(devnode)", os.O_RDONLY | os.O_NOCTTY)
      print(os.getpid(), flush=True)
      signal.pause()
      """
    return try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", script], body)
  }

  @Test(.enabled(if: hasPython, "needs /usr/bin/python3"))
  func `a port open in another program is not opened, and the error names the program and remedy`() async throws {
    let terminal = try PseudoTerminal()
    let holder = try await hold(terminal.devnode) { program in
      let processID = try #require(Int32(await program.lines.wait(for: 1)[0]))
      let error = #expect(throws: SerialError.self) {
        try SerialPort(devnode: terminal.devnode, baud: nil)
      }
      #expect(error?.kind == .busy([.init(processID: processID, program: "python3")]))
      #expect(error?.description.contains("python3 (pid \(processID)) holds it") == true)
      #expect(error?.description.contains("sudo kill \(processID)") == true)
      return processID
    }
    #expect(holder > 0)
    // The port can be opened after the other program has exited.
    #expect(throws: Never.self) { try SerialPort(devnode: terminal.devnode, baud: nil) }
  }

  @Test func `an open port cannot be opened again, even by root, until the port is closed`() throws {
    let terminal = try PseudoTerminal()
    do {
      let port = try SerialPort(devnode: terminal.devnode, baud: 9600)
      let error = #expect(throws: SerialError.self) {
        try SerialPort(devnode: terminal.devnode, baud: 4800)
      }
      guard case .busy? = error?.kind else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try port.speedBaud() == 9600, "the failed attempt must not change the settings")
      // The failed attempt must not end the exclusive use, either.
      let other = open(terminal.devnode, O_RDONLY | O_NOCTTY | O_NONBLOCK)
      #expect(other < 0 || flock(other, LOCK_EX | LOCK_NB) < 0)
      if other >= 0 { SystemCall.close(other) }
    }
    #expect(throws: Never.self) { try SerialPort(devnode: terminal.devnode, baud: nil) }
  }

  @Test(.enabled(if: hasPython, "needs /usr/bin/python3"))
  func `a simulator that has both ends of a pseudo-terminal open does not make the port busy`() async throws {
    let script = """
      import os, pty, signal
      master, slave = pty.openpty()
      print(os.getpid(), os.ttyname(slave), flush=True)
      signal.pause()
      """
    try await ChildProcess.use(path: "/usr/bin/python3", arguments: ["-c", script]) { program in
      let words = await program.lines.wait(for: 1)[0].split(separator: " ")
      let devnode = String(try #require(words.last))
      let holders = PortHolders(of: [devnode])
      #expect(holders.holders(of: devnode).map { "\($0.processID)" } == [String(words[0])])
      #expect(holders.rivals(of: devnode).isEmpty)
      _ = try SerialPort(devnode: devnode, baud: nil)
    }
  }

  @Test(.enabled(if: hasPython && NetworkNamespace.isPermitted, "needs /usr/bin/python3 and root"))
  func `a pseudo-terminal with the same name in a container is a different device`() async throws {
    let terminal = try PseudoTerminal()
    let script = """
      import os, pty, signal, sys
      while True:
          name = os.ttyname(pty.openpty()[1])
          if name == sys.argv[1]:
              break
      print(os.getpid(), flush=True)
      signal.pause()
      """
    let mounting = """
      mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts &&
      mount --bind /dev/pts/ptmx /dev/ptmx && exec /usr/bin/python3 -c "$0" "$@"
      """
    try await ChildProcess.use(
      path: "/usr/bin/unshare", arguments: ["-m", "sh", "-c", mounting, script, terminal.devnode]
    ) { program in
      let processID = try #require(Int32(await program.lines.wait(for: 1)[0]))
      // The program keeps two descriptors open for each terminal that it has created, including
      // the terminal with the same name.
      let descriptorCount = (0..<1024).count {
        SymbolicLink.target(of: "/proc/\(processID)/fd/\($0)") == terminal.devnode
      }
      try #require(descriptorCount > 0, "the container must have a terminal with the same name")
      let holders = PortHolders(of: [terminal.devnode]).holders(of: terminal.devnode)
      #expect(!holders.contains { $0.processID == processID }, "\(holders)")
    }
  }

  @Test(arguments: [
    (["gpsd"], "gpsd (pid 812) holds it", "use --source gpsd"),
    (
      ["cat", "gpsd"], "cat (pid 812), gpsd (pid 813) hold it", "systemctl stop gpsd.socket gpsd"
    ),
    (["ModemManager"], "ModemManager (pid 812) holds it", "systemctl disable --now ModemManager"),
    (["brltty"], "brltty (pid 812) holds it", "systemctl disable --now brltty"),
    (["cat"], "cat (pid 812) holds it", "sudo kill 812"),
    (["fixcast"], "fixcast (pid 812) holds it", "leave out --source"),
    ([], "Device or resource busy", "sudo fuser -v /dev/ttyACM0"),
  ])
  func `the remedy for a busy port depends on the program that has the port open`(
    programs: [String], cause: String, remedy: String
  ) {
    let holders = programs.enumerated().map {
      PortHolders.Holder(processID: 812 + Int32($0.offset), program: $0.element)
    }
    let error = SerialError(
      kind: .busy(holders), devnode: "/dev/ttyACM0", call: "open", errorNumber: EBUSY)
    #expect(error.description.contains(cause))
    #expect(error.description.contains(remedy))
    #expect(!error.description.contains("\n"))
  }
}
