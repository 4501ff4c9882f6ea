// SPDX-License-Identifier: Apache-2.0

/// Durations as people write them: `90s`, `10m`, `2h`, `7d`, `1h30m`.
public enum DurationText {
  /// The longest that is understood: ten years of 365 days.
  public static let mostSeconds: Int64 = 10 * 365 * 86_400

  private static let units: [(letter: Character, seconds: Int64)] = [
    ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
  ]

  /// Reads a duration.
  ///
  /// - Parameter text: Numbers, each with its unit, the larger unit first.
  /// - Returns: Seconds, 1 to ``mostSeconds``; `nil` for anything else.
  public static func seconds(_ text: String) -> Int64? {
    var rest = text[...]
    var total: Int64 = 0
    for unit in units {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      guard rest.dropFirst(digits.count).first == unit.letter else { continue }
      guard let count = Int64(digits) else { return nil }
      let (product, tooMany) = count.multipliedReportingOverflow(by: unit.seconds)
      let (sum, tooMuch) = total.addingReportingOverflow(product)
      guard !tooMany, !tooMuch, sum <= mostSeconds else { return nil }
      total = sum
      rest = rest.dropFirst(digits.count + 1)
    }
    return rest.isEmpty && total > 0 ? total : nil
  }

  /// Writes a duration, its largest units.
  ///
  /// - Parameters:
  ///   - seconds: How long; negative counts as none.
  ///   - most: How many units there may be; with four it is exact.
  /// - Returns: Such as `1h30m`.
  public static func text(_ seconds: Int64, units most: Int = 2) -> String {
    var rest = max(0, seconds)
    var parts: [String] = []
    for unit in units {
      let count = rest / unit.seconds
      if count > 0 { parts.append("\(count)\(unit.letter)") }
      rest %= unit.seconds
    }
    return parts.isEmpty ? "0s" : parts.prefix(most).joined()
  }
}
