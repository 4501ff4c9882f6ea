// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// Why nothing new is noticed.
public enum UDevUnavailable: Equatable, Sendable, CustomStringConvertible {
  /// No udevd runs, as in a container.
  case notRunning
  /// libudev could not enumerate or receive.
  case failed(errorNumber: Int32)

  /// The reason and what to do, for people.
  public var description: String {
    switch self {
    case .notRunning:
      "udev is not running here, as in a container: receivers that are plugged in later are not "
        + "noticed; name the devnode instead"
    case .failed(let number):
      "udev: \(SystemCallFailure.text(for: number)); name the devnode instead"
    }
  }
}
