// SPDX-License-Identifier: Apache-2.0

import Plugins

/// The choices that the user makes with keys during the live view.
struct WatchDisplay: Equatable, Sendable {
  /// The visibility of the sky plot.
  enum SkyPlotMode: Equatable, Sendable {
    /// Shown where all other rows fit too.
    case automatic
    /// Shown, even if other rows must be removed.
    case shown
    case hidden
  }

  /// Whether the terminal accepts keys.
  var hasKeys = false
  /// The units; `nil` for those of the state.
  var units: UnitSystem?
  var skyPlot = SkyPlotMode.automatic
  var showsSentences = false
  var showsHelp = false
  /// Whether the user has asked to quit.
  var isQuitting = false

  /// Applies a key; `showsPlot` is whether the screen shows a sky plot now.
  mutating func press(_ key: WatchKey, showsPlot: Bool) {
    switch key {
    case .quit: isQuitting = true
    case .units: units = (units ?? .metric).next
    case .skyPlot: skyPlot = showsPlot || skyPlot == .shown ? .hidden : .shown
    case .sentences: showsSentences.toggle()
    case .help: showsHelp.toggle()
    }
  }

  /// The rows of the key list; empty while the list is hidden.
  var helpRows: [WatchRow] {
    guard showsHelp else { return [] }
    let parts = [
      "q quit", "u units: \((units ?? .metric).rawValue)", "s sky plot", "n raw sentences",
      "? hide this list",
    ]
    return [WatchRow(rank: .requested, label: "Keys", text: parts.joined(separator: "   "))]
  }
}
