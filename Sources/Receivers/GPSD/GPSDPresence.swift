// SPDX-License-Identifier: Apache-2.0

/// What a look at the port of gpsd has found.
public enum GPSDPresence: Equatable, Sendable {
  /// What something does there that is no gpsd, or not at present.
  public enum Behavior: Equatable, Sendable, CustomStringConvertible {
    /// It listens, and lets nobody in.
    case takesNoConnection
    /// It lets in and says nothing: also a gpsd that is busy looking for a receiver's speed.
    case saysNothing
    /// It ends the connection.
    case hangsUp
    /// It says something that no gpsd says: the beginning, in quotes, safe for a terminal.
    case says(String)
    /// It is a gpsd of a protocol that cannot be read.
    case speaksProtocol(Int, release: String)

    /// What it does, as the end of a sentence.
    public var description: String {
      switch self {
      case .takesNoConnection: "takes no connection"
      case .saysNothing: "says nothing: another program, or a gpsd that is busy"
      case .hangsUp: "ends the connection without a word"
      case .says(let said): "is no gpsd: it says \(said)"
      case .speaksProtocol(let major, let release):
        "is gpsd \(release), whose protocol \(major) cannot be read"
      }
    }
  }

  /// A gpsd, with its version and the devices that it has, whether in use or not; `nil` where it
  /// did not tell those in time.
  case gpsd(release: String, devices: [String]?)
  /// Something else listens there.
  case other(Behavior)
  /// Nothing listens there.
  case absent

  /// Whether a gpsd answers.
  public var isGPSD: Bool { if case .gpsd = self { true } else { false } }

  /// Whether a gpsd answers that has a receiver, and so keeps others from it.
  ///
  /// - Parameter receiver: The receiver.
  /// - Returns: Whether it is among the devices that gpsd lists.
  public func has(_ receiver: DiscoveredReceiver) -> Bool {
    guard case .gpsd(_, let devices?) = self else { return false }
    return devices.contains(where: receiver.device.isCalled)
  }

  /// Whether a gpsd answers that has told all that it has.
  ///
  /// Of a longer list libgps keeps four.
  public var listsAll: Bool {
    if case .gpsd(_, let devices?) = self { devices.count < 4 } else { false }
  }

  /// Whether a gpsd answers and a receiver is not among what it has.
  ///
  /// A gpsd lets go for good of what is unplugged, and is handed it again by nobody but its rules.
  ///
  /// - Parameter receiver: The receiver.
  /// - Returns: Whether it is missing from all the devices that gpsd lists.
  public func lacks(_ receiver: DiscoveredReceiver) -> Bool { listsAll && !has(receiver) }
}
