// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// What keeps a gpsd from being read, which may pass: it is tried again.
enum GPSDTrouble: Error, Equatable, Sendable {
  /// The host has no address; why, in the resolver's words.
  case name(String)
  /// Nobody listens there.
  case refused(isLoopback: Bool)
  /// The connection was neither taken nor refused.
  case noAnswer(milliseconds: Int64, isLoopback: Bool)
  /// The network would not have it.
  case network(errorNumber: Int32)
  /// libgps would not take the connection; why, in its words.
  case library(String)
  /// It takes connections, and says nothing of being a gpsd.
  case noGreeting(milliseconds: Int64)
  /// It says something that no gpsd says.
  case stranger(String)
  /// It ended the connection instead of a greeting.
  case hungUp
  /// A gpsd of another protocol.
  case version(release: String, protocolMajor: Int)
  /// It was a gpsd, and ended the connection.
  case left
  /// It was a gpsd, and does not even answer what any gpsd answers.
  case mute
  /// It was a gpsd, and reported more receivers than any gpsd has.
  case flood

  /// What it is to whoever takes the fixes.
  var reason: SourceLoss.Reason {
    switch self {
    case .name, .refused, .noAnswer, .network, .library: .unreachable
    case .noGreeting, .stranger, .hungUp, .version: .incompatible
    case .left, .mute, .flood: .disconnected
    }
  }

  /// What is so and what to do, in one line, to be put after where it is.
  var text: String {
    switch self {
    case .name(let why):
      "the host's name cannot be looked up: \(why). Check the name and the network, or give an "
        + "address"
    case .refused(isLoopback: true):
      "nothing listens there (connection refused). Check the port, or start gpsd: "
        + GPSDConfiguration.startCommand
    case .refused(isLoopback: false):
      "nothing listens there (connection refused). Check host and port; gpsd serves other hosts "
        + "only where it is started with -G and gpsd.socket listens for them"
    case .noAnswer(let time, isLoopback: true):
      "what listens there takes no connection in \(Self.seconds(time)) s. See what it is: "
        + "sudo ss -ltnp"
    case .noAnswer(let time, isLoopback: false):
      "no answer in \(Self.seconds(time)) s. Check the address, the network (fixcast path), and "
        + "firewalls on the way"
    case .network(let number):
      "\(SystemCallFailure.text(for: number)). Check the address and the network: fixcast path"
    case .library(let why):
      "libgps: \(why). Is the loopback interface up? sudo ip link set lo up"
    case .noGreeting(let time):
      "what listens there has not said in \(Self.seconds(time)) s that it is a gpsd. Check host "
        + "and port; a gpsd that hangs: sudo systemctl restart gpsd"
    case .stranger(let said):
      "this is no gpsd: it says \(said). Check host and port; gpsd's own is "
        + "\(GPSDAddress.defaultPort)"
    case .hungUp:
      "it ended the connection without saying that it is a gpsd. Check host and port, and gpsd's "
        + "log: journalctl -u gpsd"
    case .version(let release, let major):
      "gpsd \(release) speaks protocol \(major), and this program only \(GPSDSession.protocolMajor)."
        + " Look for a newer version of either"
    case .left: "gpsd ended the connection; trying again. If it stays away: systemctl status gpsd"
    case .mute: "gpsd answers nothing any more. If that stays so: sudo systemctl restart gpsd"
    case .flood:
      "gpsd reported more than \(GPSDNoticeBudget.limit) receivers coming, changing or going in "
        + "\(Self.seconds(GPSDNoticeBudget.windowNanoseconds / 1_000_000)) s; the connection was closed, "
        + "trying again. See what it reports: gpspipe -w"
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
  }

  /// The beginning of what a server said, in quotes, without what would command a terminal.
  static func excerpt(of said: String) -> String {
    let most = 60
    let line = said.unicodeScalars.prefix { $0 != "\r" && $0 != "\n" }
    var text = String.UnicodeScalarView()
    for scalar in line.prefix(most) {
      text.append((0x20..<0x7F).contains(scalar.value) && scalar != "\"" ? scalar : "?")
    }
    return text.isEmpty ? "what is no text" : "\"\(String(text))\(line.count > most ? "..." : "")\""
  }
}
