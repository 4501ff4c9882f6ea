// SPDX-License-Identifier: Apache-2.0

/// Decides whether the service manager may be told that the service is alive.
///
/// A watchdog that a timer feeds says that timers work. This one is fed only while each part of the
/// service has shown, since it was last fed, that it still takes what it is given: a part is asked,
/// and answers from where its work is done.
public struct WatchdogBeat: Equatable, Sendable {
  /// Parts that are asked.
  private var parts: Set<String>
  /// Those that have not answered since the last feeding.
  private var silent: Set<String>

  /// Makes one that has heard nothing yet.
  ///
  /// - Parameter parts: The names of all parts that have to be alive; none is always alive.
  public init(parts: Set<String>) {
    self.parts = parts
    silent = parts
  }

  /// Takes a part's answer.
  ///
  /// - Parameter part: Its name; one that is not asked for is passed over.
  public mutating func heard(_ part: String) { silent.remove(part) }

  /// The parts changed: new ones have until the next feeding but one.
  ///
  /// - Parameter parts: The names of all parts that have to be alive.
  public mutating func setParts(_ parts: Set<String>) {
    silent.formIntersection(parts)
    self.parts = parts
  }

  /// Half the interval is over: either all have answered, or it is not to be fed.
  ///
  /// - Returns: The names of those that have not answered, sorted; empty where it is to be fed.
  public mutating func due() -> [String] {
    defer { if silent.isEmpty { silent = parts } }
    return silent.sorted()
  }
}
