// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The state of the position in words, for a page without JavaScript.
struct StateLine: CustomStringConvertible {
  /// The text.
  let description: String

  /// Describes what a client may know; `advice` is the command that gives it access.
  init(
    _ access: ServerClient.Access, _ latest: ServerLatest, advice: String?, at now: MonotonicTime
  ) {
    switch access {
    case .nothing: description = "No access to the position" + (advice.map { "; \($0)" } ?? "")
    case .reduced:
      description =
        latest.last(within: .infinity, isReduced: true, at: now) == nil
        ? "No position" : "Position known, to about 5 km"
    case .full:
      guard let fix = latest.last(within: .infinity, isReduced: false, at: now) else {
        description = "No position"
        return
      }
      let isCurrent = latest.fix.map { $0.mode > .none } ?? false
      var parts = [isCurrent ? "\(fix.mode == .threeDimensional ? "3D" : "2D") fix" : "No fix"]
      if let age = fix.ageSeconds(at: now) {
        parts.append("\(isCurrent ? "" : "last position ")\(Self.age(age)) old")
      }
      if let meters = fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) {
        parts.append("±\(Self.tenths(meters)) m (95 %)")
      }
      if fix.isSimulated { parts.append("simulated") }
      if fix.isReplayed { parts.append("replayed") }
      description = parts.joined(separator: ", ")
    }
  }

  private static func age(_ seconds: Double) -> String {
    switch max(seconds, 0) {
    case ..<60: "\(tenths(seconds)) s"
    case ..<3600: "\(Int(seconds / 60)) min"
    case ..<172_800: "\(Int(seconds / 3600)) h"
    default: "\(Int(min(seconds, 1e12) / 86_400)) days"
    }
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((min(max(value, 0), 1e9) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
