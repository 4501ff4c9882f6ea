// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// A temporary failure of a gpsd connection; the source retries.
enum GPSDConnectionError: Error, Equatable, Sendable {
  /// The host name cannot be resolved. Carries the resolver's message.
  case unresolvedName(String)
  /// The connection was refused.
  case refused(isLoopback: Bool)
  /// The connection timed out.
  case noAnswer(milliseconds: Int64, isLoopback: Bool)
  /// The network reported an error.
  case network(errorNumber: Int32)
  /// libgps failed to set up the connection. Carries the message of libgps.
  case library(String)
  /// The server accepted the connection but did not send gpsd's greeting in time.
  case noGreeting(milliseconds: Int64)
  /// The server sent data that gpsd would not send. Carries an excerpt.
  case otherServer(String)
  /// The server closed the connection before a greeting.
  case closedBeforeGreeting
  /// gpsd uses an unsupported protocol version.
  case version(release: String, protocolMajor: Int)
  /// The server is the gpsd server of a Fixcast daemon, which would read its own positions.
  case fixcast
  /// gpsd closed the connection after its greeting.
  case disconnected
  /// gpsd did not answer a request for its devices.
  case unresponsive
  /// gpsd reported more receivers than allowed; see ``GPSDNoticeBudget``.
  case flood

  /// The reason reported to the consumer of the fixes.
  var reason: SourceLoss.Reason {
    switch self {
    case .unresolvedName, .refused, .noAnswer, .network, .library: .unreachable
    case .noGreeting, .otherServer, .closedBeforeGreeting, .version, .fixcast: .incompatible
    case .disconnected, .unresponsive, .flood: .disconnected
    }
  }

  /// The failure and its remedy in one line, to be appended to the address of gpsd.
  var text: String {
    switch self {
    case .unresolvedName(let why):
      "cannot resolve the host name: \(why); check the name and the network, or use an IP address"
    case .refused(isLoopback: true):
      "connection refused; check the port, or start gpsd: "
        + GPSDConfiguration.startCommand
    case .refused(isLoopback: false):
      "connection refused; check host and port; gpsd accepts other hosts only if it is started "
        + "with -G and gpsd.socket listens on that address"
    case .noAnswer(let time, isLoopback: true):
      "connection not accepted within \(Self.seconds(time)) s; see which program listens: "
        + "sudo ss -ltnp"
    case .noAnswer(let time, isLoopback: false):
      "no answer within \(Self.seconds(time)) s; check the address, the network (fixcast path) "
        + "and firewalls"
    case .network(let number):
      "\(SystemCallFailure.text(for: number)); check the address and the network: fixcast path"
    case .library(let why):
      "libgps: \(why); if the loopback interface is down: sudo ip link set lo up"
    case .noGreeting(let time):
      "connected, but received no gpsd greeting within \(Self.seconds(time)) s; check host and "
        + "port; if gpsd hangs: sudo systemctl restart gpsd"
    case .otherServer(let received):
      "not a gpsd server: it sent \(received); check host and port; gpsd's default port is "
        + "\(GPSDAddress.defaultPort)"
    case .closedBeforeGreeting:
      "the server closed the connection before a gpsd greeting; check host and port, and gpsd's "
        + "log: journalctl -u gpsd"
    case .version(let release, let major):
      "gpsd \(release) uses protocol \(major); only \(GPSDSession.protocolMajor) is supported; "
        + "upgrade gpsd or fixcast"
    case .fixcast:
      "this is the gpsd server of fixcast, not gpsd; to read from gpsd, give one of them another "
        + "port: listen below [gpsd_server]"
    case .disconnected:
      "gpsd closed the connection; reconnecting; if this persists: systemctl status gpsd"
    case .unresponsive: "gpsd stopped responding; if this persists: sudo systemctl restart gpsd"
    case .flood:
      "gpsd reported more than \(GPSDNoticeBudget.limit) new, changed or removed receivers within "
        + "\(Self.seconds(GPSDNoticeBudget.windowNanoseconds / 1_000_000)) s; "
        + "closed the connection, reconnecting; see what it reports: gpspipe -w"
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
  }

  /// Quotes the beginning of a server's data, with control characters replaced by `?`.
  static func excerpt(of received: String) -> String {
    let maxLength = 60
    let line = received.unicodeScalars.prefix { $0 != "\r" && $0 != "\n" }
    var text = String.UnicodeScalarView()
    for scalar in line.prefix(maxLength) {
      text.append((0x20..<0x7F).contains(scalar.value) && scalar != "\"" ? scalar : "?")
    }
    return text.isEmpty ? "no text" : "\"\(String(text))\(line.count > maxLength ? "..." : "")\""
  }
}
