// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Commands that wait for an unresponsive server.
@Suite(.timeLimit(.minutes(1))) struct SlowCommandTests {
  /// Runs a command until it has printed the line, and checks that it has printed no other line.
  private func expect(_ line: String, of words: [String], in folder: String) async throws {
    let environment = ["FIXCAST_SOCKET": folder + "/s", "FIXCAST_ROOT": folder]
    try await ChildProcess.use(path: Program.path, arguments: words, environment: environment) {
      await $0.lines.wait { $0.contains(line) }
      #expect($0.lines.events == [line])
      _ = await $0.end()
    }
  }

  @Test func `weather and path print what they wait for if the wait is long`() async throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting = nil
    let silentServer = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { silentServer.stop() }
    let folder = try ScratchFolder()
    let url = "http://127.0.0.1:\(silentServer.port)/"
    try await expect(
      "waiting for the weather provider",
      of: ["weather", "51.0,0.0", "--weather-url", url], in: folder.path)
    try await expect(
      "waiting for \(url)", of: ["path", "--verify", url, "--timeout", "20"], in: folder.path)
  }

  @Test func `status prints that it waits for an unresponsive daemon`() async throws {
    let folder = try ScratchFolder()
    let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: (folder.path + "/s").utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(silent, $0, size) == 0 }
    }
    try #require(isBound && listen(silent, 8) == 0)
    try await expect("waiting for the daemon's status", of: ["status"], in: folder.path)
  }
}
