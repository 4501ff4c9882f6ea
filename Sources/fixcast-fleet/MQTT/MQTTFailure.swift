// SPDX-License-Identifier: Apache-2.0

/// The reason why a connection to a broker failed or ended.
struct MQTTFailure: Error, Equatable, CustomStringConvertible {
  let description: String
  /// Whether the broker closed an open connection.
  var wasClosed = false

  init(_ description: String, wasClosed: Bool = false) {
    (self.description, self.wasClosed) = (description, wasClosed)
  }

  /// Converts the code of a CONNACK that rejects the connection.
  ///
  /// Code 3 is transient: RabbitMQ sends it while its cluster has no majority.
  init(connackCode code: UInt8) {
    switch code {
    case 1: self.init("the broker does not support MQTT 3.1.1")
    case 2: self.init("the broker rejected the client id")
    case 3: self.init("the broker is not available yet")
    case 4: self.init("wrong user name or password")
    case 5: self.init("the broker does not allow this user to connect")
    default: self.init("the broker answered with the unknown code \(code)")
    }
  }
}
