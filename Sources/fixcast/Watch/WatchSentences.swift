// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// The live view's section for the newest raw sentences, or the reason why there are none.
struct WatchSentences: WatchSection {
  let state: WatchState
  let now: MonotonicTime
  /// The maximum number of sentences.
  let limit: Int

  var rows: [WatchRow] {
    guard let sentences = state.sentences else {
      return [row("not available: the daemon reads the receiver")]
    }
    // The sentences contain the exact position.
    guard state.isFullyAuthorized else {
      return [row("not shown: you are not authorized for the exact position")]
    }
    guard !sentences.isEmpty else {
      return [row("none yet; only from a receiver that this command reads itself")]
    }
    return [row("newest last")]
      + sentences.suffix(limit).map { WatchRow(rank: .requested, text: $0, isFullWidth: true) }
  }

  private func row(_ text: String) -> WatchRow {
    WatchRow(rank: .requested, label: "Sentences", text: text)
  }
}
