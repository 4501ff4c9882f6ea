// SPDX-License-Identifier: Apache-2.0

import Receivers

/// The reason why a running daemon has no position.
///
/// Covers every reason except a receiver that sends data, which ``NoFixExplanation`` explains.
struct DaemonTrouble: Equatable, CustomStringConvertible {
  private let source: String
  private let reason: String?
  /// Whether the source has delivered data before.
  private var hasDeliveredData = false

  /// Evaluates the daemon's status report.
  ///
  /// The result is `nil` if the daemon's receiver sends data, or if this user may not see the
  /// counts.
  init?(_ overview: DaemonOverview) {
    guard let part = overview.source, let byteCount = part.byteCount else { return nil }
    let name = part.name ?? ""
    guard !name.isEmpty else { return nil }
    // Data that has no fix is explained by the source itself.
    if let explanation = part.noFix?.explanation, explanation.input != .none { return nil }
    source = name
    if part.state == "waiting", byteCount > 0 || part.fixAgeSeconds != nil {
      hasDeliveredData = true
      reason = part.notices?.first ?? part.lastError
      return
    }
    // The daemon does not count the bytes that gpsd's receivers send.
    guard byteCount == 0, part.fixAgeSeconds == nil, !name.hasPrefix("gpsd") else { return nil }
    reason = part.state == "running" ? part.notices?.first : part.lastError ?? part.notices?.first
  }

  /// The problem and its reason.
  var fault: String {
    let problem =
      hasDeliveredData ? "the source has stopped delivering data" : "no data from a receiver yet"
    guard let reason else { return "\(problem) (source \(source.onOneLine))" }
    // The reason may be a sentence with a full stop.
    let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    return "\(problem) (source \(source.onOneLine)): \(words.onOneLine)"
  }

  /// The remedy at the end of an error of a system call; `nil` for another reason.
  var advice: String? {
    guard let reason, let number = reason.firstRange(of: " (errno "),
      let end = reason[number.upperBound...].firstRange(of: "); ")
    else { return nil }
    return String(reason[end.upperBound...]).onOneLine
  }

  /// The problem, its reason, and the remedy.
  var description: String {
    // The hint would repeat the command that the reason already names.
    if let reason, reason.contains("fixcast devices") { return fault }
    return "\(fault); see: fixcast devices, and man fixcast.toml on how to name a port"
  }
}
