// SPDX-License-Identifier: Apache-2.0

/// The result of probing gpsd's port.
public enum GPSDPresence: Equatable, Sendable {
  /// The behavior of a listener that did not prove to be a supported gpsd.
  public enum Behavior: Equatable, Sendable, CustomStringConvertible {
    /// The port is open, but the connection is not accepted.
    case acceptsNoConnection
    /// The server sends nothing. A gpsd is also silent while it detects a receiver's baud rate.
    case sendsNothing
    /// The server closes the connection.
    case closesConnection
    /// The server sends data that gpsd would not send. Carries the first characters, quoted and
    /// without control characters.
    case says(String)
    /// The server is Fixcast's daemon, which serves gpsd's clients.
    case isFixcast
    /// The server is a gpsd with an unsupported protocol version.
    case speaksProtocol(Int, release: String)

    /// The behavior as the end of a sentence whose subject is the listener.
    public var description: String {
      switch self {
      case .acceptsNoConnection: "does not accept connections"
      case .sendsNothing: "sends no data: it is another program or a busy gpsd"
      case .closesConnection: "closes the connection without sending data"
      case .says(let received): "is not gpsd: it sends \(received)"
      case .isFixcast: "is Fixcast's daemon, which serves gpsd's clients"
      case .speaksProtocol(let major, let release):
        "is gpsd \(release) with unsupported protocol \(major)"
      }
    }
  }

  /// A gpsd answered. `devices` contains the device paths that gpsd lists, including closed
  /// devices; `nil` if gpsd did not send the list in time.
  case gpsd(release: String, devices: [String]?)
  /// Another program, or an unsupported gpsd, listens on the port.
  case other(Behavior)
  /// The port is closed.
  case absent

  /// Whether a gpsd answered.
  public var isGPSD: Bool { if case .gpsd = self { true } else { false } }

  /// Whether gpsd lists the receiver among its devices.
  ///
  /// A listed receiver cannot be read by other programs.
  public func has(_ receiver: DiscoveredReceiver) -> Bool {
    guard case .gpsd(_, let devices?) = self else { return false }
    return devices.contains(where: receiver.device.hasName)
  }

  /// Whether the device list is known to be complete.
  ///
  /// libgps keeps only the first four devices, so a list of four may be truncated.
  public var listsAll: Bool {
    if case .gpsd(_, let devices?) = self { devices.count < 4 } else { false }
  }

  /// Whether gpsd's complete device list does not contain the receiver.
  ///
  /// gpsd drops an unplugged receiver from the list; only gpsd's udev rules add the receiver again.
  public func lacks(_ receiver: DiscoveredReceiver) -> Bool { listsAll && !has(receiver) }
}
