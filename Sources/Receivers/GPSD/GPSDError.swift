// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// A permanent failure of a gpsd source.
///
/// A gpsd that is absent or disconnects is not an error: the source reconnects.
public enum GPSDError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The process has no thread or file descriptor left.
  case resources(address: GPSDAddress, call: String, errorNumber: Int32)
  /// The receiver's name contains characters that cannot be sent to gpsd.
  case device(String, address: GPSDAddress)

  init(_ failure: SystemCallFailure, address: GPSDAddress) {
    self = .resources(address: address, call: failure.call, errorNumber: failure.number)
  }

  /// The error and its remedy in one line.
  public var description: String {
    switch self {
    case .resources(let address, let call, let number):
      "gpsd:\(address): \(call): \(SystemCallFailure.text(for: number)) (errno \(number)); "
        + "raise the limit of open files or threads of the service"
    case .device(let name, let address):
      "gpsd:\(address): \(String(reflecting: name)) is not a valid device path; use a path that "
        + "gpsd lists: gpspipe -w \(address)"
    }
  }
}
