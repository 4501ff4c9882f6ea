// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// Metrics in the text format of Prometheus, version 0.0.4.
///
///     # HELP fixcast_fix_mode Mode of the current fix.
///     # TYPE fixcast_fix_mode gauge
///     fixcast_fix_mode{receiver="/dev/ttyACM0"} 3
///
/// Unknown values are absent. A metric without any known value has no lines.
package struct PrometheusText: Equatable, Sendable {
  package enum Kind: String, Sendable {
    case counter, gauge
  }

  /// A value with its labels.
  package struct Sample: Sendable {
    package var labels: [(name: StaticString, value: String)]
    /// The value; `nil` if it is unknown.
    package var value: Double?

    package init(_ value: Double?, _ labels: (name: StaticString, value: String)...) {
      self.init(value, labels)
    }

    package init(_ value: Double?, _ labels: [(name: StaticString, value: String)]) {
      self.value = value
      self.labels = labels
    }

    package init(_ count: UInt64, _ labels: (name: StaticString, value: String)...) {
      self.init(Double(count), labels)
    }

    /// The labels in braces; empty without labels.
    fileprivate var labelText: String {
      guard !labels.isEmpty else { return "" }
      return "{\(labels.map { "\($0.name)=\"\($0.value.escaped)\"" }.joined(separator: ","))}"
    }
  }

  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package private(set) var text = ""

  /// Creates a text, which may continue metrics that are already encoded.
  package init(_ text: [UInt8] = []) { self.text = String(decoding: text, as: UTF8.self) }

  /// Adds a metric with one value and no labels.
  package mutating func add(_ name: StaticString, _ kind: Kind, _ value: Double?, help: String) {
    add(name, kind, [Sample(value)], help: help)
  }

  /// Adds a metric.
  ///
  /// Each name may be added only once. A sample whose labels are those of an earlier sample is left
  /// out, because Prometheus accepts only one of them.
  package mutating func add(_ name: StaticString, _ kind: Kind, _ samples: [Sample], help: String) {
    var labels: Set<String> = []
    var lines = ""
    for sample in samples {
      guard let value = sample.value, value.isFinite, labels.insert(sample.labelText).inserted
      else { continue }
      lines += "\(name)\(sample.labelText) \(Self.number(value))\n"
    }
    guard !lines.isEmpty else { return }
    text += "# HELP \(name) \(help.escaped)\n# TYPE \(name) \(kind.rawValue)\n\(lines)"
  }

  /// Adds a comment, which Prometheus ignores.
  package mutating func addComment(_ comment: String) {
    // The colon distinguishes the comment from a HELP or TYPE line.
    text += "# Note: \(comment.escaped)\n"
  }

  /// Returns the text without the metrics whose names have a prefix.
  package func removing(prefix: String) -> PrometheusText {
    var result = self
    result.text = text.split(separator: "\n").filter { line in
      ["", "# HELP ", "# TYPE "].allSatisfy { !line.hasPrefix($0 + prefix) }
    }.map { $0 + "\n" }.joined()
    return result
  }

  /// The seconds since 1970, as in metrics whose name ends in `_timestamp_seconds`.
  package static func seconds(_ time: UTCTime?) -> Double? {
    time.map { Double($0.secondsSince1970) + Double($0.nanosecond) / 1e9 }
  }

  /// Formats a number in the shortest form from which the same number can be read.
  private static func number(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension String {
  /// The text with backslashes, quotes and newlines escaped, as in a label value.
  ///
  /// A carriage return is replaced by a space, because it may end a line.
  fileprivate var escaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": text += #"\\"#
      case "\"": text += #"\""#
      case "\n": text += #"\n"#
      case "\r": text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
