// SPDX-License-Identifier: Apache-2.0

/// Why a daemon that answers has no position to tell, where a view of the sky would not mend it.
struct DaemonTrouble: Equatable, CustomStringConvertible {
  private let source: String
  private let reason: String?
  /// Whether anything has come from it before.
  private var hasSpoken = false

  /// Looks at what a daemon says of itself.
  ///
  /// - Parameter overview: What it says; `nil` is the result where its receiver has spoken, or where
  ///   whoever asks is not told whether it has.
  init?(_ overview: DaemonOverview) {
    guard let part = overview.source, let byteCount = part.byteCount else { return nil }
    let name = part.name ?? ""
    guard !name.isEmpty else { return nil }
    source = name
    if part.state == "waiting", byteCount > 0 || part.fixAgeSeconds != nil {
      hasSpoken = true
      reason = part.notices?.first ?? part.lastError
      return
    }
    // Of gpsd's receivers no bytes are counted.
    guard byteCount == 0, part.fixAgeSeconds == nil, !name.hasPrefix("gpsd") else { return nil }
    reason = part.state == "running" ? part.notices?.first : part.lastError ?? part.notices?.first
  }

  /// What is missing, and why.
  var fault: String {
    let what = hasSpoken ? "nothing comes any more" : "no receiver has said anything yet"
    guard let reason else { return "\(what) (source \(source.onOneLine))" }
    // It may be a sentence of its own.
    let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    return "\(what) (source \(source.onOneLine)): \(words.onOneLine)"
  }

  /// What is missing, why, and what helps.
  var description: String {
    // Where the reason itself names the command, once is enough.
    if let reason, reason.contains("fixcast devices") { return fault }
    return "\(fault); see: fixcast devices, and man fixcast.toml for how a port is named"
  }
}
