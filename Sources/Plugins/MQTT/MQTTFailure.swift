// SPDX-License-Identifier: Apache-2.0

/// The reason why a connection to a broker failed or ended.
struct MQTTFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason, for the log.
  let text: String
  /// Whether the broker rejected the user name, the password or the client.
  var isRejection = false
  /// Whether the broker closed an open connection.
  var wasClosed = false
  /// Whether the broker sent a message that is too long.
  var wasTooLong = false

  /// Converts the code of a broker's CONNACK.
  ///
  /// Code 3 is transient: a broker sends it while it starts.
  init(connackCode code: Int32) {
    switch code {
    case 1: self.init("the broker does not support MQTT 3.1.1")
    case 2: self.init("the broker rejected the client id; set client_id")
    case 3: self.init("the broker is not available yet")
    case 4: self.init("wrong user name or password", isRejection: true)
    case 5: self.init("the broker does not allow this user to connect", isRejection: true)
    default: self.init("the broker answered with the unknown code \(code)")
    }
  }

  var description: String { text }

  init(
    _ text: String, isRejection: Bool = false, wasClosed: Bool = false, wasTooLong: Bool = false
  ) {
    self.text = text
    self.isRejection = isRejection
    self.wasClosed = wasClosed
    self.wasTooLong = wasTooLong
  }
}
