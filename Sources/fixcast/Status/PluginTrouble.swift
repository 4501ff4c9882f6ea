// SPDX-License-Identifier: Apache-2.0

import Doctor

extension DaemonOverview.Part {
  /// The events that wait for the plugin or in it; `nil` if they are not reported.
  var waitingCount: Int? { queueCount.map { max($0, 0) &+ max(batchedCount ?? 0, 0) } }

  /// The role and the name, such as `sink mqtt`.
  var title: String { [role, name].compactMap { $0?.onOneLine }.joined(separator: " ") }

  /// The reason why the plugin does not work, its time and its queue; `nil` if the plugin works.
  var trouble: String? {
    guard let state, let reason, state != "running" else { return nil }
    var text = "\(state): \(reason)"
    if let age = stateAgeSeconds { text += ", since \(StatusText.duration(age)) ago" }
    if let count = waitingCount, count > 0 {
      text += "; \(count) queued"
      if let age = oldestAgeSeconds { text += ", the oldest for \(StatusText.duration(age))" }
    }
    return text.onOneLine
  }
}

extension DaemonOverview.Part {
  /// The age of an error beyond which a sink that works is not reported any more, in seconds.
  private static let maxNoticeAgeSeconds = 3600.0

  /// A recent error of a sink that works.
  fileprivate var notice: DoctorSnapshot.Outage? {
    guard role == "sink", state == "running", let error = lastError, let age = errorAgeSeconds,
      age < Self.maxNoticeAgeSeconds
    else { return nil }
    let text = "running, but \(StatusText.duration(age)) ago: \(error)"
    return .init(subject: title, reason: error, text: text.onOneLine, isWorking: true)
  }
}

extension DaemonOverview {
  /// The sinks, other plugins and servers that do not work.
  var outages: [DoctorSnapshot.Outage] {
    let plugins = (plugins ?? []).compactMap { plugin -> DoctorSnapshot.Outage? in
      guard let text = plugin.trouble, let reason = plugin.reason else { return plugin.notice }
      return .init(subject: plugin.title, reason: reason, text: text)
    }
    let servers = (servers ?? []).flatMap { server -> [DoctorSnapshot.Outage] in
      guard server.state == "failed" else { return [] }
      return (server.failures ?? []).map { failure in
        let age = server.stateAgeSeconds.map { ", since \(StatusText.duration($0)) ago" } ?? ""
        let subject = "\(server.name ?? "unnamed") server"
        // The reason ends with what to type.
        let parts = failure.split(separator: "; ", maxSplits: 1)
        let text = "\(server.state ?? "failed"): \(parts.first ?? "")\(age)"
        return .init(
          subject: subject.onOneLine, reason: failure, text: text.onOneLine,
          remedy: parts.count > 1 ? String(parts[1]).onOneLine : nil)
      }
    }
    return plugins + servers
  }
}
