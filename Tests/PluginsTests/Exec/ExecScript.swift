// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Foundation
import Positioning

@testable import Plugins

/// A shell script as an external program, with the lines that Fixcast logged.
struct ExecScript: ~Copyable {
  let folder: ScratchFolder
  let notices: EventRecorder<String>

  static let hello = "echo '{\"class\":\"HELLO\",\"protocol\":1}'\n"

  // Swift 6.2.3 crashes if a property has a value before `ScratchFolder()` throws.
  init() throws {
    folder = try ScratchFolder()
    notices = EventRecorder()
  }

  /// Returns a command that runs a shell script with the variable `FOLDER`.
  func command(_ script: String, _ arguments: [String] = []) throws -> ExecCommand {
    try folder.write("script", script)
    var command = ExecCommand(["/bin/sh", folder.path + "/script"] + arguments)
    command.environment["FOLDER"] = folder.path
    return command
  }

  func sink(_ command: ExecCommand, clock: any Clock<Duration> = ContinuousClock()) -> ExecSink {
    ExecSink(command: command, clock: clock, now: { .at(0) }, logLine: { [notices] in notices.record($0) })
  }

  /// Waits until the script has written a line to its standard error.
  func waitForLine(_ text: String) async {
    await notices.wait { $0.contains("exec: \(text)") }
  }

  func read(_ name: String) throws -> String { try folder.read(name) }
}

/// Returns the example with the given language and number (starting at 1) in the documentation.
func documentedExample(_ language: String, _ number: Int = 1) throws -> String {
  let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Plugins/Plugins.docc/ExecPlugins.md")
  let text = try String(contentsOf: page, encoding: .utf8)
  let parts = text.components(separatedBy: "```\(language)\n").dropFirst(number)
  let rest = try present(parts.first)
  let end = try present(rest.range(of: "```"))
  return String(rest[..<end.lowerBound])
}

/// Returns the program in a configuration example in the documentation.
func documentedCommand(_ role: String, example: Int = 1) throws -> ExecCommand {
  let text = Array(try documentedExample("toml", example).utf8)
  let table = try SettingsTable(toml: text, file: "config.toml")
  guard case .list(let plugins)? = table[role]?.value,
    case .table(let settings) = try present(plugins.first)
  else { throw MissingExample() }
  return try ExecCommand(settings)
}

private struct MissingExample: Error {}

private func present<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw MissingExample() }
  return value
}
