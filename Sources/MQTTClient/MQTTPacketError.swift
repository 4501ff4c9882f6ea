// SPDX-License-Identifier: Apache-2.0

/// The reason why the bytes of a broker are rejected.
package struct MQTTPacketError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
