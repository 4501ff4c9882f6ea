// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation

/// A board in a temporary directory, with the daemon's configuration, state, socket and files.
struct DaemonFixture: ~Copyable {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    // Other users have to reach the socket.
    chmod(folder.path, 0o755)
  }

  var path: String { folder.path }
  var configuration: String { path + "/config.toml" }
  /// The environment in which the daemon and the commands find their files.
  var environment: [String: String] {
    ["FIXCAST_SOCKET": path + "/s", "FIXCAST_ROOT": path + "/root"]
  }

  /// The beginning of a configuration without weather.
  var head: String { head(weather: "[weather]\nenabled = false\n") }

  private func head(weather: String) -> String {
    """
    [daemon]
    socket = "\(path)/s"
    state_directory = "\(path)/state"
    \(weather)
    """
  }

  /// Returns a source with these keys.
  static func source(_ keys: String) -> String { "[[source]]\n\(keys)\n" }

  /// Returns a sink with a file on the board.
  func sink(_ type: String, name: String, file: String) -> String {
    "[[sink]]\ntype = \"\(type)\"\nname = \"\(name)\"\nfile = \"\(path)/\(file)\"\n"
  }

  /// Replaces the configuration atomically, as an editor does; follows a symbolic link.
  func configure(_ text: String) throws { try replaceConfiguration(head + text) }

  /// Configures one receiver on a serial port.
  func configure(serialDevice device: String) throws {
    try configure(Self.source("type = \"serial\"\ndevice = \"\(device)\""))
  }

  /// Configures weather from a server that answers as Open-Meteo does.
  func configure(weatherFrom url: String, _ text: String) throws {
    try replaceConfiguration(head(weather: "[weather.openmeteo]\nbase_url = \"\(url)\"\n") + text)
  }

  private func replaceConfiguration(_ text: String) throws {
    let file = URL(filePath: configuration).resolvingSymlinksInPath()
    try Data(text.utf8).write(to: file, options: .atomic)
  }

  /// Runs the daemon for the duration of the body, which starts once the daemon accepts clients.
  ///
  /// `wrapper` is the beginning of a command line that runs the daemon.
  func use<Value>(
    environment more: [String: String] = [:], wrapper: [String] = [],
    _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let words = wrapper + [Program.path, "run", "--config", configuration]
    return try await ChildProcess.use(
      path: words[0], arguments: Array(words.dropFirst()),
      environment: environment.merging(more) { $1 }
    ) { daemon in
      await Self.wait(for: "serving on", daemon)
      return try await body(daemon)
    }
  }

  /// Waits until the daemon has logged a text after the first `count` lines.
  static func wait(for text: String, _ daemon: ChildProcess, after count: Int = 0) async {
    await daemon.lines.wait { $0.dropFirst(count).contains { $0.contains(text) } }
  }

  /// Runs a command in the board's environment.
  func run(_ arguments: String...) async throws -> (lines: [String], code: Int32) {
    try await run(arguments)
  }

  /// Runs a command in the board's environment.
  func run(_ arguments: [String]) async throws -> (lines: [String], code: Int32) {
    try await ChildProcess.run(path: Program.path, arguments: arguments, environment: environment)
  }

  private struct Report: Decodable {
    var `class`: String
    var time: String?
  }

  /// Returns the times of the TPV objects, in milliseconds since 1970.
  static func epochs(in lines: some Sequence<String>) -> [Int64] {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return lines.compactMap { line in
      guard let report = try? JSONDecoder().decode(Report.self, from: Data(line.utf8)),
        report.class == "TPV", let time = report.time, let date = try? Date(time, strategy: style)
      else { return nil }
      return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
  }

  /// Returns the lines of a file of the board, including an incomplete last one.
  func lines(of file: String) throws -> [String] {
    try folder.read(file).split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }
}
