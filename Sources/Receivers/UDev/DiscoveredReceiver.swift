// SPDX-License-Identifier: Apache-2.0

/// A serial device with its classification as a receiver, possible receiver or other device.
public struct DiscoveredReceiver: Equatable, Sendable {
  /// The classification of a device.
  public enum Role: Equatable, Sendable {
    /// A known receiver.
    case receiver
    /// The GPS port of a modem: read, never written to.
    case modemPort
    /// A serial converter: used as a receiver only after two valid sentences.
    case converter
    /// A UART without USB ids.
    case uart
    /// Any other device.
    case other
  }

  /// The name, which the device keeps when it is replugged or renumbered.
  public let name: String
  /// The classification of the device.
  public let role: Role
  /// The model in the catalog; `nil` if the USB ids are not listed.
  public let model: ReceiverModel?
  /// The device as described by udev.
  public let device: UDevDevice

  /// The devnode, valid until the device is unplugged.
  public var devnode: String { device.devnode }

  /// Whether the device must send two valid sentences before it counts as a receiver.
  public var requiresValidation: Bool { role == .converter || role == .uart || role == .other }

  /// The model name from the catalog, else from the device; `nil` if unknown.
  public var modelName: String? { model?.name ?? device.modelName }

  /// The option that makes a command read the device.
  ///
  /// A user who names a device consents to opening the device.
  public var consent: String { "--source serial:\(device.byIDLink ?? devnode)" }
}
