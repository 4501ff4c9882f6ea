// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Pipeline
internal import Synchronization
internal import WeatherFeature

extension LogSink {
  /// Returns a filter for the events that a log records, so that other events do not wake the sink.
  ///
  /// The first location passes, and the first location after a loss of the position or of a source;
  /// at debug level, all locations pass. Of consecutive epochs without a position, only the first
  /// passes.
  ///
  /// The filter must be called for each event, in order.
  package static func eventFilter(
    for logger: Logger
  ) -> @Sendable (any PipelineEvent) -> Bool {
    let filter = LogEventFilter()
    return { filter.accepts($0, isDetailed: logger.logLevel <= .debug) }
  }
}

/// Decides which events a log records.
private final class LogEventFilter: Sendable {
  private let status = Mutex(LogFixStatus())

  func accepts(_ event: any PipelineEvent, isDetailed: Bool) -> Bool {
    let isChange = status.withLock { $0.isChange(event) }
    return switch event {
    case is LocationEvent: isChange || isDetailed
    case is NoFixEvent: isChange
    case is EnrichedEvent: isDetailed
    case is SkyEvent, is InstrumentEvent: false
    default: true
    }
  }
}

/// Tracks whether there is a position, so that only a gain or loss of the position is logged.
struct LogFixStatus {
  /// Whether the last epoch had a position; `nil` before the first epoch and after the loss of a
  /// source.
  private var hasFix: Bool?

  /// Handles an event and returns whether the position was gained or lost.
  mutating func isChange(_ event: any PipelineEvent) -> Bool {
    switch event {
    case is LocationEvent: return change(to: true)
    case is NoFixEvent: return change(to: false)
    case let event as SourceEvent:
      // After the loss of a source, log the next position, even if another source delivers it.
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
