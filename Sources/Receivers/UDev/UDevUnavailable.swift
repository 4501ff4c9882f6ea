// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The reason why new devices cannot be detected.
public enum UDevUnavailable: Equatable, Sendable, CustomStringConvertible {
  /// udevd is not running, as in a container.
  case notRunning
  /// libudev could not enumerate or receive.
  case failed(errorNumber: Int32)

  /// The reason and the remedy as text for messages.
  public var description: String {
    switch self {
    case .notRunning:
      "udev is not running, as in a container: receivers plugged in later are not detected; "
        + "specify the devnode"
    case .failed(let number):
      "udev: \(SystemCallFailure.text(for: number)); specify the devnode"
    }
  }
}
