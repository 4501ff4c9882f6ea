// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension ExecEnd {
  /// How a program has ended, in a sentence: by whom, and why, where it was not by itself.
  func sentence(after shutdown: ExecShutdown) -> String {
    switch self {
    case .notStarted(let reason): return "it cannot be started: \(reason)"
    case .killedLast: return "it was killed, since fixcast is about to end"
    case .exited(let code):
      let account = shutdown.reason == .haste(.deaf) ? nil : shutdown.account
      return "it ended with exit code \(code)"
        + (account.map { ", after fixcast sent it \($0)" } ?? "")
    case .signaled(let number):
      let own = shutdown.isKilled ? [SIGTERM, SIGKILL] : [SIGTERM]
      let text = "it was ended by signal \(number) (\(String(cString: strsignal(number))))"
      if own.contains(number), let account = shutdown.account {
        // It may have been gone before it was sent anything.
        let isSure = shutdown.isKilled || shutdown.reason != .haste(.deaf)
        return isSure ? "fixcast ended it by \(account)" : "it took nothing any more, and \(text)"
      }
      // Those that it would else be asked about.
      return [SIGTERM, SIGKILL].contains(number) ? text + ", which fixcast did not send" : text
    }
  }
}

extension ExecShutdown {
  /// What it was sent, and why; `nil` for nothing.
  var account: String? {
    guard let reason else { return nil }
    let why = "since \(reason.text)"
    return isKilled
      ? "SIGKILL, since it still ran \(Self.text(killTime)) after SIGTERM, which it was sent \(why)"
      : "SIGTERM, \(why)"
  }

  fileprivate static func text(_ duration: Duration) -> String {
    Text.fixed(duration / .seconds(1), 1) + " s"
  }
}

extension ExecShutdown.Reason {
  fileprivate var text: String {
    switch self {
    case .inputEnded(let time): "it still ran \(ExecShutdown.text(time)) after the end of its input"
    case .outputEnded(let time):
      "it still ran \(ExecShutdown.text(time)) after the end of its output"
    case .haste(.misbegun): "it had not begun as it has to"
    case .haste(.unread): "it had not taken in time what it was sent"
    case .haste(.deaf): "it took nothing any more"
    case .haste(.stop): "it was to stop at once"
    }
  }
}
