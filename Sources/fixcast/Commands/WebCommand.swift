// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DaemonClient
import DaemonProtocol
import Glibc
internal import LocationServices
import Positioning
import SystemSupport

/// `fixcast web`: prints a link that opens the status page.
struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Print a link that opens the status page in a browser.",
    discussion: """
      The link can be opened once, within five minutes. The browser then sees what your user may see, \
      for twelve hours. Only a link of root can answer requests of other programs. Without listen \
      below [web] in the configuration, prints how to reach the page over SSH.

      With --list, prints the sessions of your user instead, and with sudo all sessions. With --end, \
      ends them; with --end and a number, only that session. Sessions survive a restart of the daemon.

      Exits 66 if there is no session with the number, 69 if no daemon is running.

      Examples:
        sudo fixcast web
        fixcast web --json
        sudo fixcast web --list
        sudo fixcast web --end 3
      """)

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  @Flag(name: .long, help: "Print the sessions of your user, and with sudo all sessions.")
  var list = false

  @Flag(name: .long, help: "End the sessions of your user, and with sudo all sessions.")
  var end = false

  @Argument(help: ArgumentHelp("Session to end.", valueName: "number"))
  var session: UInt64?

  func validate() throws {
    if list, end { throw ValidationError("--list cannot be combined with --end.") }
    guard let session else { return }
    guard end else {
      throw ValidationError("a session is ended with: fixcast web --end \(session)")
    }
    if session == 0 { throw ValidationError("sessions are numbered from 1.") }
  }

  func run() async throws {
    guard let client = try DaemonAccess.client() else {
      throw CommandFailure.unavailable(
        "\(DaemonAccess.address): no daemon is running there; start it with: sudo systemctl start fixcast"
      )
    }
    if end { return try await endSessions(client) }
    if list { return try await listSessions(client) }
    let link: WebLink?
    do throws(DaemonClientError) { link = try await client.webLink() } catch {
      throw DaemonAccess.failure(error)
    }
    if json {
      try Output.write(link?.json ?? Self.offObject(client.address.socketPath))
    } else {
      let lines = link.map(Self.lines) ?? Self.offLines(client.address.socketPath)
      try Output.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
  }

  private func endSessions(_ client: DaemonClient) async throws {
    let ended: EndedSessions
    do throws(DaemonClientError) { ended = try await client.endWebSessions(session) } catch {
      throw DaemonAccess.failure(error)
    }
    if let session, ended.count == 0 {
      throw CommandFailure.noInput("there is no session \(session); see: sudo fixcast web --list")
    }
    let line = "sessions ended: \(ended.count)\n"
    try Output.write(json ? ended.json : Array(line.utf8))
  }

  private func listSessions(_ client: DaemonClient) async throws {
    let list: WebSessionList
    do throws(DaemonClientError) { list = try await client.webSessions() } catch {
      throw DaemonAccess.failure(error)
    }
    let text = Self.table(list).map { $0 + "\n" }.joined()
    try Output.write(json ? list.json : Array(text.utf8))
  }

  /// The lines about sessions.
  static func table(_ list: WebSessionList) -> [String] {
    guard !list.sessions.isEmpty else { return ["no sessions"] }
    var table = TextTable()
    table.add(["SESSION", "USER", "ENDS IN", "BROWSER"])
    for session in list.sessions {
      let words = session.client.split(separator: " ").map(String.init)
      let client = (try? ClientSelector(words: words)).map(AuthPathOptions.rulePaths.text)
      table.add([
        "\(session.number)", client ?? session.client.onOneLine,
        StatusText.duration(Double(session.expires)), session.browser?.onOneLine ?? "-",
      ])
    }
    return table.lines
  }

  /// The lines about a link.
  static func lines(_ link: WebLink) -> [String] {
    let role =
      geteuid() == 0
      ? ProcessEvidence().ownIdentity().isOperator
        ? "it can answer requests of programs"
        : "it cannot answer requests, because this program is a service; in a shell, run: "
          + "sudo fixcast web"
      : "for a link that can answer requests: sudo fixcast web"
    let minutes = link.expiresSeconds / 60
    var lines = [link.url, "The link works once, within \(minutes) minutes; \(role)"]
    if let port = loopbackPort(link.url) {
      lines.append(
        "from another computer, first run there: ssh -N -L \(port):127.0.0.1:\(port) \(login)")
    }
    return lines
  }

  /// The lines for a page without a TCP port.
  static func offLines(_ socket: String) -> [String] {
    [
      "The status page has no TCP port; from another computer, run there: "
        + "\(tunnel(socket)), and open \(tunnelURL)",
      "to open it with a link instead, set listen = \"127.0.0.1:8080\" below [web] in "
        + "/etc/fixcast/config.toml, and run: sudo systemctl reload fixcast",
    ]
  }

  private static let tunnelURL = "http://127.0.0.1:8080/"

  private static func tunnel(_ socket: String) -> String {
    "ssh -N -L 8080:\(socket) \(login)"
  }

  private static func offObject(_ socket: String) -> [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "LINK")
    line.string("tunnel", tunnel(socket))
    line.string("url", tunnelURL)
    line.endObject()
    line.endLine()
    return line.bytes
  }

  /// The port of a link to a loopback address; `nil` for another link.
  private static func loopbackPort(_ url: String) -> String? {
    guard let prefix = ["http://127.", "https://127."].first(where: url.hasPrefix) else {
      return nil
    }
    let host = url.dropFirst(prefix.count).prefix { $0 != "/" }
    return host.split(separator: ":").last.map(String.init)
  }

  /// The user and the host for ssh: with sudo, the user who ran sudo.
  private static var login: String {
    let user =
      getenv("SUDO_USER").map { String(cString: $0) } ?? UserNames.name(geteuid()) ?? "pi"
    return "\(user)@\(HostName.text ?? "board")"
  }
}
