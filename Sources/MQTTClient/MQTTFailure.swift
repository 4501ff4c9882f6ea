// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import SystemSupport

/// The reason why a connection to a broker failed or ended.
package struct MQTTFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason, for the log.
  package let text: String
  /// Whether the broker rejected the user name, the password or the client.
  package var isRejection = false
  /// Whether the broker closed an open connection.
  package var wasClosed = false
  /// Whether the broker sent a message that is too long.
  package var wasTooLong = false

  package init(
    _ text: String, isRejection: Bool = false, wasClosed: Bool = false, wasTooLong: Bool = false
  ) {
    self.text = text
    self.isRejection = isRejection
    self.wasClosed = wasClosed
    self.wasTooLong = wasTooLong
  }

  package var description: String { text }

  /// The broker did not send an answer in time.
  package static let silence = MQTTFailure("the broker does not answer")

  /// This program closed the connection.
  package static let closedLocally = MQTTFailure("this program closed the connection")

  static let closed = MQTTFailure("the broker closed the connection", wasClosed: true)

  /// Converts the code of a CONNACK that rejects the connection.
  ///
  /// Code 3 is transient: a broker sends it while it starts, or while its cluster has no majority.
  package init(connackCode code: UInt8, names: MQTTSettingNames = .configuration) {
    switch code {
    case 1: self.init("the broker does not support MQTT 3.1.1")
    case 2:
      self.init("the broker rejected the client id" + (names.clientID.map { "; set \($0)" } ?? ""))
    case 3: self.init("the broker is not available yet")
    case 4: self.init("wrong user name or password", isRejection: true)
    case 5: self.init("the broker does not allow this user to connect", isRejection: true)
    default: self.init("the broker answered with the unknown code \(code)")
    }
  }

  /// Converts an error of a channel.
  init(_ error: any Error) {
    switch error {
    case let failure as MQTTFailure: self = failure
    case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): self = .closed
    case let error as IOError: self.init(SystemCallFailure.text(for: error.errnoCode))
    case ChannelError.connectTimeout: self.init(SystemCallFailure.text(for: ETIMEDOUT))
    case ChannelError.eof, NIOSSLError.uncleanShutdown,
      NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])):
      self = .closed
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.first {
        self.init(first.error)
      } else {
        self.init("the host name is not known")
      }
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      self.init("TLS: \(Self.reason(error))")
    default: self.init("\(error)")
    }
  }

  /// Returns the reason in an error of BoringSSL, for example `tlsv1 alert certificate required`.
  private static func reason(_ error: any Error) -> String {
    let text = "\(error)"
    guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else {
      return "the handshake failed"
    }
    let name = text[start...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
    return name.lowercased().replacing("_", with: " ")
  }
}
