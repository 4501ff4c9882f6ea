// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Plugins
import Positioning
import Receivers
internal import SystemSupport
import WeatherClientLive
import WeatherFeature

/// Prints network paths and probe results, as text or as JSON.
struct PathPrinter: Sendable {
  let output: Output
  private let start = MonotonicTime.now()

  init(output: Output) { self.output = output }

  /// Prints all properties of a path.
  func print(_ path: NetworkPath) async throws {
    if output.json { return try await printObject(path) }
    var table = TextTable()
    table.add(["status", path.status.rawValue])
    if let reason = path.reason { table.add(["reason", "\(reason.rawValue): \(reason.text)"]) }
    if let cause = path.cause { table.add(["because", cause]) }
    let interfaces = path.interfaces.map { "\($0.name) (\($0.kind.rawValue))" }
    table.add(["interfaces", interfaces.isEmpty ? "none" : interfaces.joined(separator: ", ")])
    if path.isSatisfied, path.reason != .unknown {
      let families = [path.supportsIPv4 ? "IPv4" : nil, path.supportsIPv6 ? "IPv6" : nil]
      table.add(["families", families.compactMap { $0 }.joined(separator: ", ")])
      let isKnown = path.isExpensive || path.isCostKnown
      table.add(["metered", path.isExpensive ? "yes" : isKnown ? "no" : "unknown"])
    }
    try output.write(lines: table.lines)
  }

  /// Prints a changed path with the elapsed time.
  func printChange(_ path: NetworkPath) async throws {
    if output.json { return try await printObject(path) }
    let seconds = Text.fixed(MonotonicTime.now().seconds(since: start), 1, width: 7)
    try output.write(lines: ["\(seconds) s  \(path.text)"])
  }

  /// Prints the result of a probe.
  func print(_ outcome: PathVerifier.Outcome, of url: String) throws(DescriptorOutput.Failure) {
    let (word, cause, code): (String, String?, Int?) =
      switch outcome {
      case .verified: ("verified", nil, nil)
      case .portal(let code): ("portal", nil, code)
      case .upstreamDead(let cause): ("upstreamDead", cause, nil)
      case .dnsFailing(let cause): ("dnsFailing", cause, nil)
      }
    guard output.json else {
      let detail = cause ?? code.map { "a portal answered with status \($0)" }
      var table = TextTable()
      // Aligned with the table of the path, which is printed above.
      table.add([Text.padded("verified", 10), outcome == .verified ? "yes" : "no"])
      if let detail { table.add(["because", "\(word): \(detail)"]) }
      return try output.write(lines: table.lines)
    }
    var line = JSONLine()
    line.beginObject()
    line.string("class", "PROBE")
    line.string("url", url)
    line.string("outcome", word)
    line.integer("status", code)
    line.string("message", cause)
    line.endObject()
    line.endLine()
    try output.write(line.bytes)
  }

  /// Prints the object in the format of the pipeline's JSON sink.
  private func printObject(_ path: NetworkPath) async throws {
    let sink = JSONLinesSink(
      PluginContext(write: { try output.write($0) }, now: { MonotonicTime.now() }))
    try await sink.receive(PathEvent(path))
  }
}
