// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Pipeline
internal import Synchronization
internal import WeatherFeature

extension LogSink {
  /// Tells which events a log has something to say of.
  ///
  /// Of positions that is the first, and the first epoch without one, unless it is at debug level:
  /// a log need not be woken for each of the others.
  ///
  /// Returns whether it is to be given an event; asked for each in turn.
  package static func interest(
    of logger: Logger
  ) -> @Sendable (any PipelineEvent) -> Bool {
    let interest = LogInterest()
    return { interest.takes($0, isDetailed: logger.logLevel <= .debug) }
  }
}

/// Remembers what the log has been told.
private final class LogInterest: Sendable {
  private let standing = Mutex(LogStanding())

  func takes(_ event: any PipelineEvent, isDetailed: Bool) -> Bool {
    let isNews = standing.withLock { $0.isNews(event) }
    return switch event {
    case is LocationEvent: isNews || isDetailed
    case is NoFixEvent: isNews
    case is EnrichedEvent: isDetailed
    case is SkyEvent, is InstrumentEvent: false
    default: true
    }
  }
}

/// Whether there is a position, as a log tells it: when it comes, goes and comes back.
struct LogStanding {
  /// Whether the last epoch had a position; `nil` before the first, and after a loss.
  private var hasFix: Bool?

  /// Takes an event.
  mutating func isNews(_ event: any PipelineEvent) -> Bool {
    switch event {
    case is LocationEvent: return change(to: true)
    case is NoFixEvent: return change(to: false)
    case let event as SourceEvent:
      // Whoever reads of a loss wants to read that it is over, or that another receiver goes on.
      if case .lost = event, hasFix == true { hasFix = nil }
      return false
    default: return false
    }
  }

  private mutating func change(to new: Bool) -> Bool {
    defer { hasFix = new }
    return hasFix != new
  }
}
