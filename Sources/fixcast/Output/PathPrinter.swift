// SPDX-License-Identifier: Apache-2.0

import Glibc
import PathMonitorClient
import Plugins
import Positioning
import Receivers
internal import SystemSupport
import WeatherClientLive
import WeatherFeature

/// Prints network paths and probes, for people or as JSON.
struct PathPrinter: Sendable {
  let json: Bool
  private let output = DescriptorOutput(descriptor: STDOUT_FILENO)
  private let start = MonotonicTime.now()

  init(json: Bool) { self.json = json }

  /// Prints a path in full; the error number of a write that failed, else `nil`.
  func print(_ path: NetworkPath) async -> Int32? {
    if json { return await printObject(path) }
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
    return write(table.lines.map { $0 + "\n" }.joined())
  }

  /// Prints a path that has changed; the error number of a write that failed, else `nil`.
  func printChange(_ path: NetworkPath) async -> Int32? {
    if json { return await printObject(path) }
    let seconds = Text.fixed(MonotonicTime.now().seconds(since: start), 1, width: 7)
    return write("\(seconds) s  \(path.text)\n")
  }

  /// Prints what became of a probe; the error number of a write that failed, else `nil`.
  func print(_ outcome: PathVerifier.Outcome, of url: String) -> Int32? {
    let (word, cause, code): (String, String?, Int?) =
      switch outcome {
      case .verified: ("verified", nil, nil)
      case .portal(let code): ("portal", nil, code)
      case .upstreamDead(let cause): ("upstreamDead", cause, nil)
      case .dnsFailing(let cause): ("dnsFailing", cause, nil)
      }
    guard json else {
      let detail = cause ?? code.map { "somebody else answered, with \($0)" }
      var table = TextTable()
      // As wide as the widest name of the path's own table, which stands above it.
      table.add([Text.padded("verified", 10), outcome == .verified ? "yes" : "no"])
      if let detail { table.add(["because", "\(word): \(detail)"]) }
      return write(table.lines.map { $0 + "\n" }.joined())
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
    return write(String(decoding: line.bytes, as: UTF8.self))
  }

  /// The object that the pipeline's sink writes too.
  private func printObject(_ path: NetworkPath) async -> Int32? {
    let sink = JSONLinesSink(
      PluginContext(write: { try output.write($0) }, now: { MonotonicTime.now() }))
    do {
      try await sink.receive(PathEvent(path))
      return nil
    } catch {
      return (error as? DescriptorOutput.Failure)?.number ?? EIO
    }
  }

  private func write(_ text: String) -> Int32? {
    do throws(DescriptorOutput.Failure) {
      try output.write(Array(text.utf8))
      return nil
    } catch {
      return error.number
    }
  }
}
