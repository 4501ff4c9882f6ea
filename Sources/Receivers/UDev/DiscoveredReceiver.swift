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

  /// Returns the option that makes a command read the device, for ``stablePath(among:)``.
  ///
  /// A user who names a device consents to opening the device.
  public func consent(among others: [DiscoveredReceiver]) -> String {
    "--source serial:\(stablePath(among: others))"
  }

  /// Returns the path to name in a configuration, which the device keeps when it is replugged.
  ///
  /// This is the by-id link. It is the by-path link if there is no by-id link, if the device is named
  /// after its port, or if one of the other devices has the same by-id link: the link then leads to
  /// only one of them. A device without links has only its devnode, whose number may change.
  public func stablePath(among others: [DiscoveredReceiver]) -> String {
    guard let byIDLink = device.byIDLink else { return device.byPathLink ?? devnode }
    let isAmbiguous =
      device.byPathLink?.hasSuffix("/\(name)") == true
      || others.contains {
        $0.device.syspath != device.syspath && $0.device.byIDLink == byIDLink
      }
    return isAmbiguous ? device.byPathLink ?? byIDLink : byIDLink
  }
}
