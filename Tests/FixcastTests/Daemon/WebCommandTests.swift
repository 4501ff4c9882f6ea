// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// `fixcast web`, and the status page of a daemon with a simulated receiver.
@Suite("The command web", .serialized, .timeLimit(.minutes(2)))
struct WebCommandTests {
  private static func curl(_ arguments: String...) async throws -> String {
    try await ChildProcess.run(
      path: "/usr/bin/curl", arguments: ["--silent", "--show-error", "--include"] + arguments
    ).lines.joined(separator: "\n")
  }

  /// Makes a board with a simulated receiver, whose page is on a port.
  private static func board(_ port: ReservedPort) throws -> DaemonFixture {
    let board = try DaemonFixture()
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + "[gpsd_server]\nenabled = false\n[web]\nlisten = \"127.0.0.1:\(port.number)\"\n")
    return board
  }

  @Test func `the printed link opens the page once, and a reload closes the port and ends open streams`() async throws {
    let port = try ReservedPort()
    let board = try Self.board(port)
    try await board.use { daemon in
      await DaemonFixture.wait(for: "web server: listening on 127.0.0.1:", daemon)
      let answer = try await board.run("web")
      #expect(answer.code == 0 && answer.lines.count == 3, "\(answer.lines)")
      let url = try #require(answer.lines.first)
      #expect(url.hasPrefix("http://127.0.0.1:\(port.number)/login?t="))
      #expect(answer.lines[1].hasPrefix("The link works once, within 5 minutes; "))
      #expect(answer.lines[2].contains("ssh -N -L \(port.number):127.0.0.1:\(port.number) "))
      let jar = board.path + "/cookies"
      let page = try await Self.curl("--location", "--cookie-jar", jar, url)
      #expect(page.contains("HTTP/1.1 303") && page.contains("HTTP/1.1 200"), "\(page)")
      #expect(page.contains("id=\"state\""), "\(page)")
      #expect(try await Self.curl(url).hasPrefix("HTTP/1.1 403"))
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.contains("127.0.0.1:\(port.number)") }, "\(status.lines)")
      let object = try await board.run("web", "--json")
      #expect(object.lines.first?.hasPrefix(#"{"class":"LINK","url":"http://127."#) == true)
      let start = try #require(page.firstRange(of: "Location: /#key="), "\(page)")
      let key = page[start.upperBound...].prefix(64)
      let events = "http://127.0.0.1:\(port.number)/v1/events?purpose=a&page=1&key=\(key)"
      let arguments = ["--silent", "--no-buffer", "--cookie", jar, events]
      try await ChildProcess.use(path: "/usr/bin/curl", arguments: arguments) { stream in
        await stream.lines.wait { $0.contains { $0.contains("event: TPV") } }
        try board.configure("")
        daemon.send(SIGHUP)
        await DaemonFixture.wait(for: "configuration reloaded", daemon)
        _ = await stream.wait()
      }
      #expect(try await Self.curl("http://127.0.0.1:\(port.number)/").contains("curl: ("))
    }
    port.release()
  }

  @Test func `a session survives a restart of the daemon, is listed, and ends by its number`() async throws {
    let port = try ReservedPort()
    let board = try Self.board(port)
    let jar = board.path + "/cookies"
    let page = "http://127.0.0.1:\(port.number)/"
    try await board.use { daemon in
      await DaemonFixture.wait(for: "web server: listening on 127.0.0.1:", daemon)
      let url = try #require(try await board.run("web").lines.first)
      _ = try await Self.curl("--cookie-jar", jar, "--user-agent", "Phone", url)
      #expect(await daemon.end() == 0)
    }
    try await board.use { daemon in
      await DaemonFixture.wait(for: "web server: listening on 127.0.0.1:", daemon)
      #expect(try await Self.curl("--cookie", jar, page).hasPrefix("HTTP/1.1 200"))
      let list = try await board.run("web", "--list")
      #expect(list.lines.first?.hasPrefix("SESSION ") == true && list.lines.last?.hasSuffix(" Phone") == true)
      let missing = try await board.run("web", "--end", "7")
      #expect(missing.code == 66)
      #expect(missing.lines == ["fixcast: there is no session 7; see: sudo fixcast web --list"])
      #expect(try await board.run("web", "--end", "1").lines == ["sessions ended: 1"])
      #expect(try await Self.curl("--cookie", jar, page).hasPrefix("HTTP/1.1 401"))
      #expect(try await board.run("web", "--list").lines == ["no sessions"])
      #expect(await daemon.end() == 0)
    }
    port.release()
  }

  @Test func `--end ends the sessions and prints their number`() async throws {
    let port = try ReservedPort()
    let board = try Self.board(port)
    try await board.use { daemon in
      await DaemonFixture.wait(for: "web server: listening on 127.0.0.1:", daemon)
      let jar = board.path + "/cookies"
      let url = try #require(try await board.run("web").lines.first)
      _ = try await Self.curl("--cookie-jar", jar, url)
      let page = "http://127.0.0.1:\(port.number)/"
      #expect(try await Self.curl("--cookie", jar, page).hasPrefix("HTTP/1.1 200"))
      #expect(try await board.run("web", "--end").lines == ["sessions ended: 1"])
      #expect(try await Self.curl("--cookie", jar, page).hasPrefix("HTTP/1.1 401"))
      let answer = try await board.run("web", "--end", "--json")
      #expect(answer.lines == [#"{"class":"ENDED","sessions":0}"#])
    }
    port.release()
  }

  @Test func `without a TCP port, the command prints how to reach the page over SSH`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try await board.use { _ in
      let answer = try await board.run("web")
      #expect(answer.code == 0 && answer.lines.count == 2, "\(answer.lines)")
      #expect(answer.lines.first?.hasPrefix("The status page has no TCP port; ") == true)
      #expect(answer.lines.first?.contains("ssh -N -L 8080:\(board.path)/s ") == true)
      #expect(answer.lines.last?.contains("listen = \"127.0.0.1:8080\" below [web]") == true)
      let object = try await board.run("web", "--json")
      #expect(object.lines.first?.hasPrefix(#"{"class":"LINK","tunnel":"ssh "#) == true)
    }
  }

  @Test func `without a daemon, the command fails`() async throws {
    let board = try DaemonFixture()
    let answer = try await board.run("web")
    #expect(answer.code == 69, "\(answer.lines)")
    #expect(answer.lines.first?.contains("no daemon is running there") == true)
  }

  @Test func `a daemon serves the page on a socket that the service manager has opened`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\"") + "[gpsd_server]\nenabled = false\n")
    // Opens a socket as descriptor 3, as systemd does, and replaces itself with the daemon.
    let script = """
      import os, socket, sys
      listening = socket.create_server(("127.0.0.1", 0))
      print(f"port {listening.getsockname()[1]}", flush=True)
      descriptor = os.dup(listening.fileno())
      os.dup2(descriptor, 3)
      os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="web")
      os.execv(sys.argv[1], sys.argv[1:])
      """
    try await board.use(wrapper: ["/usr/bin/python3", "-c", script]) { daemon in
      await DaemonFixture.wait(for: "web server: listening on 127.0.0.1:", daemon)
      let line = try #require(daemon.lines.events.first { $0.hasPrefix("port ") })
      let port = line.dropFirst(5)
      let url = try #require(try await board.run("web").lines.first)
      #expect(url.hasPrefix("http://127.0.0.1:\(port)/login?t="), "\(url)")
      #expect(try await Self.curl(url).hasPrefix("HTTP/1.1 303"))
      // A reload keeps the socket.
      daemon.send(SIGHUP)
      #expect(try await Self.curl("http://127.0.0.1:\(port)/").hasPrefix("HTTP/1.1 401"))
    }
  }
}
