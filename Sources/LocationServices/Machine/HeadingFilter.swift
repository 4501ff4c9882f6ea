// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Suppresses headings that differ too little from the last delivered heading.
struct HeadingFilter: Equatable, Sendable {
  /// The minimum change in degrees; `nil` lets every heading pass.
  var degrees: Double? = 1
  private var last: Heading?

  init(degrees: Double? = 1) { self.degrees = degrees }

  mutating func reset() { last = nil }

  mutating func passes(_ heading: Heading) -> Bool {
    guard let degrees, let turned = turnedDegrees(to: heading), turned < degrees else {
      last = heading
      return true
    }
    return false
  }

  /// Returns the smaller angle to the last heading; `nil` if the headings cannot be compared.
  private func turnedDegrees(to heading: Heading) -> Double? {
    func turn(_ from: Double?, _ to: Double?) -> Double? {
      guard let from, let to else { return nil }
      return abs((to - from).remainder(dividingBy: 360))
    }
    return turn(last?.degreesTrue, heading.degreesTrue)
      ?? turn(last?.degreesMagnetic, heading.degreesMagnetic)
  }
}
