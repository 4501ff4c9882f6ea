// SPDX-License-Identifier: Apache-2.0

/// A device that is a receiver, may be one, or is known to be none.
public struct DiscoveredReceiver: Equatable, Sendable {
  /// What it is taken for.
  public enum Role: Equatable, Sendable {
    /// A receiver by its ids.
    case receiver
    /// The position port of a modem: listened to, never written to.
    case modemPort
    /// A converter: a receiver only once it has sent two valid sentences.
    case converter
    /// A plain UART, of which nothing is known.
    case uart
    /// Any other device.
    case other
  }

  /// The name that it keeps over replugs and renumbering.
  public let name: String
  /// What it is taken for.
  public let role: Role
  /// What its ids say; `nil` where they are not known.
  public let model: ReceiverModel?
  /// What udev says.
  public let device: UDevDevice

  /// The devnode, for as long as it is plugged in.
  public var devnode: String { device.devnode }

  /// Whether it must first send two valid sentences before it counts as a receiver.
  public var mustProveItself: Bool { role == .converter || role == .uart || role == .other }

  /// Maker and model, by the ids, else as the device says, else `nil`.
  public var modelName: String? { model?.name ?? device.modelName }

  /// What to add to a command so that it listens to it: naming a device is consent.
  public var consent: String { "--source serial:\(device.byIDLink ?? devnode)" }
}
