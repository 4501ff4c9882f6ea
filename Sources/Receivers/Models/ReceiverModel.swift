// SPDX-License-Identifier: Apache-2.0

/// A kind of receiver, or of what a receiver may hide behind, as its USB ids tell it.
public struct ReceiverModel: Equatable, Sendable {
  /// How sure the ids make it that this is a receiver.
  public enum Kind: String, CaseIterable, Sendable {
    /// It is a receiver and nothing else: used at once.
    case specific
    /// A converter that anything may be behind: never opened without consent.
    case candidate
    /// The port of a modem on which positions come, once the modem's owner has asked for them.
    case modemPort
  }

  /// What is different about it.
  public enum Quirk: String, CaseIterable, Sendable {
    /// It has no serial line inside and takes any speed.
    case ignoresSpeed
    /// It says nothing until its modem was told to; that is its owner's affair.
    case silentUntilEnabled
    /// Opening it may reset the board behind it.
    case mayResetOnOpen
  }

  /// Vendor and product.
  public let id: USBID
  /// The interfaces that carry positions; empty where any does.
  public let interfaceNumbers: [UInt8]
  /// Maker and model, for people.
  public let name: String
  /// How sure the ids make it.
  public let kind: Kind
  /// The speeds that it usually has, in baud, most usual first; empty where none is usual.
  public let usualSpeedsBaud: [Int]
  /// What is different about it.
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

  /// Whether an interface of the device is meant.
  ///
  /// - Parameter interface: Its number; `nil` where it is not known.
  /// - Returns: Whether positions come there.
  public func covers(interface: UInt8?) -> Bool {
    interfaceNumbers.isEmpty || interface.map(interfaceNumbers.contains) ?? false
  }
}
