// SPDX-License-Identifier: Apache-2.0

internal import Receivers
internal import SystemSupport

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
    /// Whether the plugin goes on working in spite of the problem.
    package var isWorking = false

    package init(
      subject: String, reason: String, text: String, remedy: String? = nil, isWorking: Bool = false
    ) {
      self.subject = subject
      self.reason = reason
      self.text = text
      self.remedy = remedy
      self.isWorking = isWorking
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
        isLeftToGPSD || outage.isWorking ? .note : .bad, outage.subject, outage.text,
        remedy: outage.remedy ?? remedy(for: outage))
    }
  }

  /// Returns the command that shows or solves the cause.
  private static func remedy(for outage: DoctorSnapshot.Outage) -> String {
    // A reason about a broker's certificate ends with what to do.
    let parts = outage.reason.split(separator: "; ")
    if outage.reason.contains(": TLS: "), parts.count > 1, let advice = parts.last {
      return String(advice)
    }
    if let broker = broker(in: outage.reason) { return brokerRemedy(outage.reason, broker) }
    if let path = path(in: outage.reason), let command = fileRemedy(outage.reason, path) {
      return command
    }
    let name = outage.subject.split(separator: " ").last.map(String.init) ?? outage.subject
    return "sudo journalctl -u fixcast -n 1000 | grep -F \(RuleFindings.quoted(name))"
  }

  private static func brokerRemedy(_ reason: String, _ broker: HostPort) -> String {
    let (host, port) = (broker.host.text, broker.port)
    if reason.contains("host name is not known") {
      return "getent hosts \(host)   (then correct broker, or the network)"
    }
    if reason.contains("user name or password") || reason.contains("does not allow this user") {
      return "correct username or password_file, then: sudo systemctl restart fixcast"
    }
    let parts = reason.split(separator: ": ")
    if parts.count > 2, parts[2] == "cannot be read" {
      return "sudo -u fixcast head -n 1 \(RuleFindings.quoted(String(parts[1])))"
    }
    if reason.contains(": TLS: ") { return "openssl s_client -connect \(broker)" }
    return broker.host.isLoopback
      ? "systemctl status mosquitto   (or the broker on port \(port); its log has the cause)"
      : "nc -vz \(host) \(port)   (if it succeeds, the log of the broker has the cause)"
  }

  /// Returns the command for a file that cannot be written; `nil` for an unknown reason.
  private static func fileRemedy(_ reason: String, _ path: Substring) -> String? {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = RuleFindings.quoted(end == path.startIndex ? "/" : String(path[..<end]))
    func has(_ texts: String...) -> Bool { texts.contains { reason.contains($0) } }
    if has("No space left on device", "the disk is full") {
      return "df -h \(folder)   (then remove files there)"
    }
    if has("Disk quota exceeded") { return "sudo quota -u fixcast   (then remove files)" }
    if has("Read-only file system") {
      return
        "findmnt -T \(folder) && sudo dmesg | tail   (a worn card becomes read-only; outside of "
        + "/var/lib/fixcast, set ReadWritePaths= with: sudo systemctl edit fixcast)"
    }
    if has("Permission denied", "Operation not permitted") {
      return "sudo -u fixcast ls -ld \(folder)   (the user fixcast must be able to write there)"
    }
    if has("Input/output error") { return "sudo dmesg | tail" }
    if has("No such file or directory") {
      return "sudo install -d -o fixcast -g fixcast \(folder)"
    }
    if has("by another program") {
      let name = RuleFindings.quoted(String(path[end...].drop { $0 == "/" }))
      return
        "sudo grep -rsF \(name) /etc/logrotate.conf /etc/logrotate.d /etc/cron.d /var/spool/cron"
    }
    return nil
  }

  /// Returns the address of the broker at the beginning of a reason.
  private static func broker(in reason: String) -> HostPort? {
    reason.firstRange(of: ": ").flatMap { BrokerAddress(String(reason[..<$0.lowerBound]))?.server }
  }

  /// Returns the path of the file that a reason begins with.
  private static func path(in reason: String) -> Substring? {
    guard reason.hasPrefix("/") else { return nil }
    let ends = [": ", " was ", "; "].compactMap { reason.firstRange(of: $0)?.lowerBound }
    return ends.min().map { reason[..<$0] }
  }
}
