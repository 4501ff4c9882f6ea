// SPDX-License-Identifier: Apache-2.0

/// A model of a receiver, converter or modem, identified by its USB ids.
public struct ReceiverModel: Equatable, Sendable {
  /// The certainty with which the USB ids identify a receiver.
  public enum Kind: String, CaseIterable, Sendable {
    /// Always a receiver: used automatically.
    case specific
    /// A serial converter for any device: never opened without the user's consent.
    case candidate
    /// The port on which a modem sends positions after another program has enabled GPS.
    case modemPort
  }

  /// A special behavior of a model.
  public enum Quirk: String, CaseIterable, Sendable {
    /// The device has native USB and accepts any baud rate.
    case ignoresSpeed
    /// The port sends nothing until another program enables GPS in the modem.
    case silentUntilEnabled
    /// Opening the port may reset the board behind it.
    case mayResetOnOpen
  }

  /// The vendor and product ids.
  public let id: USBID
  /// The USB interfaces that carry positions; empty if any interface may carry positions.
  public let interfaceNumbers: [UInt8]
  /// The manufacturer and model, for display.
  public let name: String
  /// The certainty with which the USB ids identify a receiver.
  public let kind: Kind
  /// The usual baud rates, most common first; empty if unknown or irrelevant.
  public let usualSpeedsBaud: [Int]
  /// The special behaviors of the model.
  public let quirks: Set<Quirk>

  init(
    _ id: USBID, _ name: String, kind: Kind, interfaces interfaceNumbers: [UInt8] = [],
    speeds usualSpeedsBaud: [Int] = [], quirks: Set<Quirk> = []
  ) {
    self.id = id
    self.interfaceNumbers = interfaceNumbers
    self.name = name
    self.kind = kind
    self.usualSpeedsBaud = usualSpeedsBaud
    self.quirks = quirks
  }

  /// Whether a USB interface of the device may carry positions.
  ///
  /// For an unknown interface (`nil`), true only if the model does not restrict its interfaces.
  public func covers(interface: UInt8?) -> Bool {
    interfaceNumbers.isEmpty || interface.map(interfaceNumbers.contains) ?? false
  }
}
