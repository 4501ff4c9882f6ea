// SPDX-License-Identifier: Apache-2.0

/// The reason why a message of the fleet protocol is rejected.
package enum FleetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message is longer than ``FleetBatch/maxBytes``.
  case tooLarge(bytes: Int)
  /// The message is not a JSON object with members of the expected types.
  case malformed
  /// The message has a version that this program does not read.
  case unsupportedVersion(Int)
  /// A member has a value outside its range, or contradicts another member.
  case invalid(member: String)

  package var description: String {
    switch self {
    case .tooLarge(let bytes): "the message has \(bytes) bytes; the limit is \(FleetBatch.maxBytes)"
    case .malformed: "the message is not a JSON object with members of the expected types"
    case .unsupportedVersion(let version): "version \(version) is not supported"
    case .invalid(let member): "the value of \(member) is invalid"
    }
  }
}
