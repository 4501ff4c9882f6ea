// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// Why gpsd cannot be asked at all.
///
/// A gpsd that is not there, or goes, is no error: it is waited for.
public enum GPSDError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The program has no thread or descriptor left for it.
  case resources(address: GPSDAddress, call: String, errorNumber: Int32)
  /// The receiver's name cannot be put into a request.
  case device(String, address: GPSDAddress)

  init(_ failure: SystemCallFailure, address: GPSDAddress) {
    self = .resources(address: address, call: failure.call, errorNumber: failure.number)
  }

  /// The error in one line: what, where, and what to do.
  public var description: String {
    switch self {
    case .resources(let address, let call, let number):
      "gpsd:\(address): \(call): \(SystemCallFailure.text(for: number)) (errno \(number)). "
        + "Raise the limit of open files or threads of the service."
    case .device(let name, let address):
      "gpsd:\(address): \(String(reflecting: name)) is no device. Give the path that gpsd knows "
        + "it by: gpspipe -w \(address)"
    }
  }
}
