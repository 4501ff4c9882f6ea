// SPDX-License-Identifier: Apache-2.0

/// Why a lookup got no answer.
public indirect enum WeatherError: Error, Equatable, Hashable, Sendable {
  /// The provider could not be reached, or hung up; the text names the cause.
  case network(String)
  /// The whole answer had not come within that time.
  case timedOut(afterSeconds: Double)
  /// The answer, unpacked, is larger than that.
  case tooLarge(limitBytes: Int)
  /// Somebody wants the question put to another host, which is not done: a portal, or a provider
  /// that has moved.
  case redirected(host: String)
  /// Whoever answered could not prove to be the provider; a wall clock that is wrong looks the same.
  case untrusted(String)
  /// The provider answered with a status that is not success, in its own words where it has any.
  case badStatus(code: Int, reason: String?)
  /// The provider wants to be left alone, for as long as it says.
  case rateLimited(retryAfterSeconds: Double?, reason: String?)
  /// Nobody is asked for so many seconds more, by the rules of this program: after a failure, or
  /// for a budget that is used up.
  case notDue(afterSeconds: Int, reason: String)
  /// Nobody is asked, and no time changes that: what would is in the text.
  case notAsked(reason: String)
  /// The provider answers no question of this configuration: asking again is no use until it has
  /// changed.
  case refused(reason: String)
  /// The answer is not what the protocol says: which field, and what is wrong with it.
  case malformed(field: String, reason: String)
  /// The provider cannot answer this kind of question.
  case unsupported(String)
  /// The configuration is not one that can be asked with.
  case misconfigured(String)
  /// Nobody waits for the answer any more.
  case cancelled
  /// What one of several providers failed with, by its name and its host.
  case of(provider: String, host: String, WeatherError)

  /// The error itself, whoever's it is.
  public var cause: WeatherError {
    if case .of(_, _, let error) = self { error.cause } else { self }
  }

  /// Whether the same question may be answered later.
  public var isTransient: Bool {
    switch cause {
    case .network, .timedOut, .redirected, .untrusted, .rateLimited, .notDue, .cancelled: true
    case .badStatus(let code, _): code >= 500
    case .tooLarge, .notAsked, .refused, .malformed, .unsupported, .misconfigured, .of:
      false
    }
  }

  /// How long the provider is to be left alone, in seconds, where it or this program says so.
  public var retryAfterSeconds: Double? {
    switch cause {
    case .rateLimited(let seconds, _): seconds
    case .notDue(let seconds, _): Double(seconds)
    default: nil
    }
  }
}

extension WeatherError: CustomStringConvertible {
  /// The error in a sentence.
  public var description: String {
    switch self {
    case .network(let cause): "weather provider not reached: \(cause)"
    case .timedOut(let seconds): "weather provider gave no whole answer in \(seconds) s"
    case .tooLarge(let limit): "weather provider's answer is larger than \(limit) bytes"
    case .redirected(let host): "weather provider's answer sends elsewhere: to \(host)"
    case .untrusted(let cause): "weather provider not trusted: \(cause)"
    case .badStatus(let code, let reason):
      "weather provider answered \(code)" + (reason.map { ": \($0)" } ?? "")
    case .rateLimited(let seconds, let reason):
      "weather provider asks to wait"
        + (seconds.map { " \(Int(exactly: $0.rounded(.up)) ?? 86_400) s" } ?? "")
        + (reason.map { ": \($0)" } ?? "")
    case .notDue(let seconds, let reason):
      "no weather provider is asked for another \(seconds) s: \(reason)"
    case .notAsked(let reason): "no weather provider is asked: \(reason)"
    case .refused(let reason): "weather provider refuses the configuration: \(reason)"
    case .malformed(let field, let reason): "weather provider's answer: \(field): \(reason)"
    case .unsupported(let what): "weather provider cannot: \(what)"
    case .misconfigured(let what): "weather provider's configuration: \(what)"
    case .cancelled: "weather lookup cancelled"
    case .of(let provider, let host, let error): "\(provider) (\(host)): \(error)"
    }
  }
}
