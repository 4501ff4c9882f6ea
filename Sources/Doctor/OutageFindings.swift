// SPDX-License-Identifier: Apache-2.0

internal import Receivers

extension DoctorSnapshot {
  /// A sink, another plugin or a server of the daemon that does not work.
  package struct Outage: Equatable, Sendable {
    /// The role and the name, such as `sink mqtt`.
    package var subject: String
    /// The reason.
    package var reason: String
    /// The state with its reason, its time and its queue.
    package var text: String
    /// The command that solves the problem; `nil` to choose one by the reason.
    package var remedy: String?

    /// Creates an outage.
    package init(subject: String, reason: String, text: String, remedy: String? = nil) {
      self.subject = subject
      self.reason = reason
      self.text = text
      self.remedy = remedy
    }
  }
}

enum OutageFindings {
  /// Returns the findings about sinks, other plugins and servers that do not work.
  ///
  /// A board may have gpsd serve its clients instead of the daemon.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    snapshot.outages.map { outage in
      let isLeftToGPSD = outage.subject == "gpsd server" && snapshot.gpsd.isGPSD
      return DoctorFinding(
        isLeftToGPSD ? .note : .bad, outage.subject, outage.text,
        remedy: outage.remedy ?? remedy(for: outage))
    }
  }

  /// Returns the command that shows or solves the cause.
  private static func remedy(for outage: DoctorSnapshot.Outage) -> String {
    if let (host, port) = broker(in: outage.reason) {
      return isLoopback(host)
        ? "systemctl status mosquitto   (or the broker on port \(port); its log has the cause)"
        : "nc -vz \(host) \(port)   (if it succeeds, the log of the broker has the cause)"
    }
    if outage.reason.contains("No space left on device"), let folder = folder(in: outage.reason) {
      return "df -h \(RuleFindings.quoted(folder))   (then remove files there)"
    }
    let name = outage.subject.split(separator: " ").last.map(String.init) ?? outage.subject
    return "sudo journalctl -u fixcast -n 1000 | grep -F \(RuleFindings.quoted(name))"
  }

  /// Returns the host and the port of the broker's address at the beginning of a reason.
  private static func broker(in reason: String) -> (host: String, port: String)? {
    guard let scheme = ["mqtt://", "mqtts://"].first(where: { reason.hasPrefix($0) }),
      let end = reason.firstRange(of: ": ")?.lowerBound
    else { return nil }
    let address = reason[..<end].dropFirst(scheme.count)
    guard let colon = address.lastIndex(of: ":") else { return nil }
    let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return (host, String(address[address.index(after: colon)...]))
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// Returns the folder of the file that a reason begins with.
  private static func folder(in reason: String) -> String? {
    guard reason.hasPrefix("/"), let end = reason.firstRange(of: ": ")?.lowerBound else {
      return nil
    }
    let path = reason[..<end]
    return path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
  }
}
