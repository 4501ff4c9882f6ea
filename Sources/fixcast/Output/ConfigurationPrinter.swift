// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Pipeline
import Plugins
import Positioning

/// Prints the results of `check-config`, as lines or as JSON.
struct ConfigurationPrinter {
  let json: Bool

  /// Prints a text unchanged.
  func print(_ text: String) throws { try Output.write(Array(text.utf8)) }

  /// Prints the errors: one line each on standard error, or JSON on standard output.
  func print(_ errors: SettingsErrors) throws {
    guard json else {
      for error in errors.all { StandardError.print("\(error)") }
      return
    }
    try write(errors, class: "ERROR")
  }

  /// Prints the warnings: one line each with the prefix `warning:` on standard error, or JSON.
  func print(warnings: SettingsErrors) throws {
    if json { return try write(warnings, class: "WARNING") }
    for warning in warnings.all { StandardError.print("warning: \(warning)") }
  }

  private func write(_ errors: SettingsErrors, class name: String) throws {
    var line = JSONLine()
    for error in errors.all {
      line.beginObject()
      line.string("class", name)
      line.string("message", error.problem.description)
      line.string("key", error.keyPath.isEmpty ? nil : error.keyPath)
      line.string("source", error.origin?.description)
      line.endObject()
      line.endLine()
    }
    try Output.write(line.bytes)
  }

  /// Prints each effective value and the file that sets it.
  func print(_ settings: [EffectiveSetting]) throws {
    guard json else {
      var table = TextTable()
      for setting in settings {
        table.add([setting.keyPath, setting.text, setting.origin?.description ?? "default"])
      }
      return try Output.write(Array(table.lines.map { $0 + "\n" }.joined().utf8))
    }
    var line = JSONLine()
    for setting in settings {
      line.beginObject()
      line.string("class", "SETTING")
      line.string("key", setting.keyPath)
      line.string("value", setting.text)
      line.string("source", setting.origin?.description)
      line.endObject()
      line.endLine()
    }
    try Output.write(line.bytes)
  }

  /// Prints the sources, providers and plugins of a valid configuration.
  func print(_ configuration: DaemonConfiguration, warningCount: Int) throws {
    let sources = configuration.sources.map(\.name)
    let weather =
      configuration.weather.isEnabled ? configuration.weather.providers.map(\.name) : []
    let plugins = configuration.plugins.map { "\($0.role.rawValue) \($0.name)" }
    guard json else {
      let parts = [
        "sources: " + sources.joined(separator: ", "),
        "weather: " + (weather.isEmpty ? "off" : weather.joined(separator: ", ")),
        "plugins: " + (plugins.isEmpty ? "none" : plugins.joined(separator: ", ")),
      ]
      let verdict =
        switch warningCount {
        case 0: "no errors\n"
        case 1: "no errors, 1 warning\n"
        default: "no errors, \(warningCount) warnings\n"
        }
      return try Output.write(Array((verdict + parts.map { $0 + "\n" }.joined()).utf8))
    }
    var line = JSONLine()
    line.beginObject()
    line.string("class", "CONFIGURATION")
    line.array("sources", sources)
    line.array("weather", weather)
    line.array("plugins", configuration.plugins.map { "\($0.role.rawValue).\($0.name)" })
    line.endObject()
    line.endLine()
    try Output.write(line.bytes)
  }
}

extension JSONLine {
  fileprivate mutating func array(_ key: StaticString, _ values: [String]) {
    beginArray(key)
    for value in values { element(value) }
    endArray()
  }
}
