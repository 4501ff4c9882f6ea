// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation

/// A board of a test's own: a folder with the daemon's configuration, state, socket and files.
struct DaemonBoard: ~Copyable {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    // Every user has to reach the socket.
    chmod(folder.path, 0o755)
  }

  var path: String { folder.path }
  var configuration: String { path + "/config.toml" }
  /// What the daemon and the commands beside it find their files by.
  var environment: [String: String] {
    ["FIXCAST_SOCKET": path + "/s", "FIXCAST_ROOT": path + "/root"]
  }

  /// What every configuration begins with.
  var head: String {
    """
    [daemon]
    socket = "\(path)/s"
    state_directory = "\(path)/state"
    [weather]
    enabled = false

    """
  }

  /// A source by its keys.
  static func source(_ keys: String) -> String { "[[source]]\n\(keys)\n" }

  /// A sink that writes into a file of the board.
  func sink(_ type: String, name: String, file: String) -> String {
    "[[sink]]\ntype = \"\(type)\"\nname = \"\(name)\"\nfile = \"\(path)/\(file)\"\n"
  }

  /// Puts a configuration in place at once, as an editor does; where a link is, behind the link.
  func configure(_ text: String) throws {
    let file = URL(filePath: configuration).resolvingSymlinksInPath()
    try Data((head + text).utf8).write(to: file, options: .atomic)
  }

  /// Runs the daemon until the body is done with it; the body gets it when it serves.
  func use<Value>(
    environment more: [String: String] = [:], _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    try await ChildProcess.use(
      path: Program.path, arguments: ["run", "--config", configuration],
      environment: environment.merging(more) { $1 }
    ) { daemon in
      await Self.wait(for: "serving on", daemon)
      return try await body(daemon)
    }
  }

  /// Waits until the daemon has logged something that was not there before.
  static func wait(for text: String, _ daemon: ChildProcess, after count: Int = 0) async {
    await daemon.lines.wait { $0.dropFirst(count).contains { $0.contains(text) } }
  }

  /// Runs a command beside the daemon.
  func run(_ arguments: String...) async throws -> (lines: [String], code: Int32) {
    try await run(arguments)
  }

  /// Runs a command beside the daemon.
  func run(_ arguments: [String]) async throws -> (lines: [String], code: Int32) {
    try await ChildProcess.run(
      path: Program.path, arguments: arguments, environment: environment
    )
  }

  private struct Report: Decodable {
    var `class`: String
    var time: String?
  }

  /// The times of a stream's epochs, in milliseconds since 1970.
  static func epochs(in lines: some Sequence<String>) -> [Int64] {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return lines.compactMap { line in
      guard let report = try? JSONDecoder().decode(Report.self, from: Data(line.utf8)),
        report.class == "TPV", let time = report.time, let date = try? Date(time, strategy: style)
      else { return nil }
      return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
  }

  /// The lines of a file of the board; the last one too where it is not whole.
  func lines(of file: String) throws -> [String] {
    try folder.read(file).split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }
}
