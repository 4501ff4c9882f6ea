// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning

@testable import fixcast

/// A live view that handles events at given times.
struct WatchScene {
  var state: WatchState

  init(wantsWeather: Bool = true) {
    state = WatchState(source: "auto", wantsWeather: wantsWeather, now: .at(0))
  }

  mutating func at(_ seconds: Double, _ events: any PipelineEvent...) {
    for event in events { state.handle(event, at: .at(seconds)) }
  }

  func lines(
    at seconds: Double, columns: Int = 80, rows: Int = 24, usesColor: Bool = false,
    display: WatchDisplay = WatchDisplay()
  ) -> [String] {
    WatchView(columns: columns, rows: rows, usesColor: usesColor, display: display)
      .lines(state, now: .at(seconds))
  }
}
