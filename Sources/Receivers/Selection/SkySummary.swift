// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The numbers of satellites in view and the strength of their signals.
package struct SkySummary: Equatable, Sendable {
  /// The signal strength in dB-Hz at which a receiver can read a satellite's orbit.
  package static let strongDBHz = 30.0

  /// The number of satellites in view.
  package var inView: Int
  /// The number of satellites whose signal is received.
  package var withSignal: Int
  /// The number of satellites with a signal of at least ``strongDBHz``.
  package var strong: Int
  /// The strongest signal in dB-Hz, 0 to 99; `nil` if no signal is received.
  package var strongestDBHz: Double?

  package init(inView: Int, withSignal: Int, strong: Int, strongestDBHz: Double?) {
    self.inView = inView
    self.withSignal = withSignal
    self.strong = strong
    self.strongestDBHz = strongestDBHz.map { min(max($0, 0), 99) }
  }

  /// Summarizes a sky view.
  package init(_ sky: SkyView) {
    func count(atLeast limit: Double) -> Int {
      Set(sky.satellites.lazy.filter { ($0.signalToNoiseDBHz ?? 0) >= limit }.map(\.id)).count
    }
    self.init(
      inView: sky.inViewCount, withSignal: count(atLeast: 1),
      strong: count(atLeast: Self.strongDBHz),
      strongestDBHz: sky.satellites.compactMap(\.signalToNoiseDBHz).filter { $0 >= 1 }.max())
  }
}
