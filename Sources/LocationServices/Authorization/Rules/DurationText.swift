// SPDX-License-Identifier: Apache-2.0

/// Durations such as `90s`, `10m`, `2h`, `7d` and `1h30m`.
package enum DurationText {
  /// The longest valid duration: ten years of 365 days.
  package static let maxSeconds: Int64 = 10 * 365 * 86_400

  private static let units: [(letter: Character, seconds: Int64)] = [
    ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
  ]

  /// Parses a duration.
  ///
  /// - Returns: Seconds, 1 to ``maxSeconds``; `nil` if the text is not a valid duration.
  package static func seconds(_ text: String) -> Int64? { try? read(text).get() }

  /// Returns why a text is not a valid duration, such as "too long; at most 3650d".
  ///
  /// Returns `nil` for a valid duration.
  package static func fault(in text: String) -> String? {
    guard case .failure(let fault) = read(text) else { return nil }
    return switch fault {
    case .malformed: "not a duration; use e.g. 90s, 10m, 2h or 7d"
    case .tooLong: "too long; at most \(Self.text(maxSeconds))"
    }
  }

  private enum Fault: Error { case malformed, tooLong }

  private static func read(_ text: String) -> Result<Int64, Fault> {
    var rest = text[...]
    var total: Int64? = 0
    for unit in units {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      guard rest.dropFirst(digits.count).first == unit.letter else { continue }
      guard !digits.isEmpty else { return .failure(.malformed) }
      total = total.flatMap { sum($0, Int64(digits), times: unit.seconds) }
      rest = rest.dropFirst(digits.count + 1)
    }
    guard rest.isEmpty, total != 0 else { return .failure(.malformed) }
    return total.map { .success($0) } ?? .failure(.tooLong)
  }

  /// Returns the sum; `nil` if it exceeds the maximum.
  private static func sum(_ total: Int64, _ count: Int64?, times seconds: Int64) -> Int64? {
    guard let count else { return nil }
    let (product, productOverflows) = count.multipliedReportingOverflow(by: seconds)
    let (sum, sumOverflows) = total.addingReportingOverflow(product)
    return productOverflows || sumOverflows || sum > maxSeconds ? nil : sum
  }

  /// Formats a duration, such as `1h30m`, in its largest units; four units are always exact.
  package static func text(_ seconds: Int64, units maxUnits: Int = 2) -> String {
    var rest = max(0, seconds)
    var parts: [String] = []
    for unit in units {
      let count = rest / unit.seconds
      if count > 0 { parts.append("\(count)\(unit.letter)") }
      rest %= unit.seconds
    }
    return parts.isEmpty ? "0s" : parts.prefix(maxUnits).joined()
  }
}
