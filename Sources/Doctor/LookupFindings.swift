// SPDX-License-Identifier: Apache-2.0

extension DoctorSnapshot {
  /// The daemon's last failed weather lookup, after which no lookup has succeeded.
  package struct FailedLookup: Equatable, Sendable {
    /// The error, with the provider and its host.
    package var error: String
    /// The time since the last failure, in seconds; `nil` if unknown.
    package var errorAgeSeconds: Double?
    /// The time since the first failure after the last reply, in seconds; `nil` if unknown.
    package var failingSeconds: Double?
    /// The time until the next lookup, in seconds; `nil` if unknown.
    package var retrySeconds: Double?
    /// The command or the action that remedies the error; `nil` if the daemon knows none.
    package var advice: String?

    package init(
      error: String, errorAgeSeconds: Double? = nil, failingSeconds: Double? = nil,
      retrySeconds: Double? = nil, advice: String? = nil
    ) {
      self.error = error
      self.errorAgeSeconds = errorAgeSeconds
      self.failingSeconds = failingSeconds
      self.retrySeconds = retrySeconds
      self.advice = advice
    }
  }
}

enum LookupFindings {
  /// Returns the finding about a failed weather lookup, which does not prevent fixes.
  static func findings(_ lookup: DoctorSnapshot.FailedLookup?) -> [DoctorFinding] {
    guard let lookup else { return [] }
    var parts = [lookup.error]
    if let seconds = lookup.errorAgeSeconds {
      var text = "failed \(duration(seconds)) ago"
      if let failing = lookup.failingSeconds, failing >= seconds + 60 {
        text += ", failing for \(duration(failing))"
      }
      parts.append(text)
    }
    if let seconds = lookup.retrySeconds {
      parts.append(
        seconds > 0
          ? "next lookup with the first fix after \(duration(seconds))"
          : "next lookup with the next fix")
    }
    return [
      DoctorFinding(
        .note, "weather", parts.joined(separator: "; "),
        remedy: lookup.advice ?? "journalctl -u fixcast -n 50")
    ]
  }

  private static func duration(_ seconds: Double) -> String {
    let seconds = min(max(seconds, 0), 1e9)
    let (divisor, unit): (Double, String) =
      switch seconds {
      case ..<120: (1, "s")
      case ..<7200: (60, "min")
      default: (3600, "h")
      }
    return "\(Int(exactly: (seconds / divisor).rounded()) ?? 0) \(unit)"
  }
}
