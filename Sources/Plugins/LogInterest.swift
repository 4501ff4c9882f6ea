// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Pipeline
internal import Synchronization

extension LogSink {
  /// Tells which events a log has something to say of.
  ///
  /// Of positions that is the first, and the first epoch without one, unless it is at debug level:
  /// a log need not be woken for each of the others.
  ///
  /// - Parameter logger: Where it writes; its level counts at each event.
  /// - Returns: Whether it is to be given an event; asked for each in turn.
  public static func interest(
    of logger: Logger
  ) -> @Sendable (any PipelineEvent) -> Bool {
    let interest = LogInterest()
    return { interest.takes($0, isDetailed: logger.logLevel <= .debug) }
  }
}

/// Remembers whether the last epoch had a position.
private final class LogInterest: Sendable {
  private let hasFix = Mutex<Bool?>(nil)

  func takes(_ event: any PipelineEvent, isDetailed: Bool) -> Bool {
    switch event {
    case is LocationEvent: changes(to: true) || isDetailed
    case is NoFixEvent: changes(to: false)
    case is EnrichedEvent: isDetailed
    case is SkyEvent: false
    default: true
    }
  }

  private func changes(to new: Bool) -> Bool {
    hasFix.withLock { hasFix in
      defer { hasFix = new }
      return hasFix != new
    }
  }
}
