// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import TLSSupport

/// The state of the board on which the success of a connection depends.
///
/// After a failed connection, the next attempt is delayed by a back-off. If the state changes, the
/// cause of the failure may be gone, so the back-off ends.
public struct LookupConditions: Equatable, Codable, Sendable {
  /// The system clock minus the time since boot, in seconds; changes if the clock is set.
  var clockOffsetSeconds: Int64
  /// The version of the certificate store.
  var certificates: String
  /// The version of the network path, or `nil` if the program does not monitor the path.
  var path: String?

  /// The maximum change of the clock that is not regarded as a step, in seconds.
  static let clockToleranceSeconds: UInt64 = 60

  /// Reads the current conditions.
  ///
  /// - Parameter path: The version of the network path, or `nil` if it is not monitored.
  /// - Returns: The conditions.
  public static func present(path: String? = nil) -> LookupConditions {
    let offset =
      SystemClock.utcNow().secondsSince1970 &- MonotonicTime.now().nanoseconds / 1_000_000_000
    return LookupConditions(
      clockOffsetSeconds: offset, certificates: CertificateStore().version, path: path)
  }

  /// Whether the conditions have changed since other conditions.
  ///
  /// A path that is unknown in one of them is not compared.
  func haveChanged(since other: LookupConditions) -> Bool {
    let step = clockOffsetSeconds.subtractingReportingOverflow(other.clockOffsetSeconds)
    if step.overflow || step.partialValue.magnitude > Self.clockToleranceSeconds { return true }
    if certificates != other.certificates { return true }
    guard let path, let otherPath = other.path else { return false }
    return path != otherPath
  }
}
