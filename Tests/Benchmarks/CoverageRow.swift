// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The share of fixes whose error is within one kind of estimate.
struct CoverageRow {
  private var errors: [Double] = []
  private var estimates: [Double] = []
  private(set) var logs: Set<String> = []

  var fixes: Int { errors.count }

  mutating func add(errorMeters: Double, estimateMeters: Double, log: String) {
    errors.append(errorMeters)
    estimates.append(estimateMeters)
    logs.insert(log)
  }

  /// The number of fixes, the share within the estimate, the median estimate, and the actual 95 %
  /// error.
  var cells: [String] {
    guard let estimate = estimates.median, let error = errors.quantile(0.95) else {
      return ["0", "-", "-", "-"]
    }
    let countWithin = zip(errors, estimates).count { $0 <= $1 }
    let share = Double(countWithin) / Double(fixes) * 100
    return [
      "\(fixes)", "\(Self.text(share, places: 1)) %", Self.meters(estimate), Self.meters(error),
    ]
  }

  private static func meters(_ value: Double) -> String {
    "\(text(value, places: value < 0.1 ? 3 : 2)) m"
  }

  private static func text(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let whole = Int((value * Double(scale)).rounded())
    let rest = "\(whole % scale)"
    return "\(whole / scale)." + String(repeating: "0", count: places - rest.utf8.count) + rest
  }
}
