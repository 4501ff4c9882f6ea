// SPDX-License-Identifier: Apache-2.0

/// A statement of a receiver about itself: the state of its antenna, an error or a warning.
public struct ReceiverMessage: Equatable, Sendable, CustomStringConvertible {
  /// The subject of a message.
  public enum Kind: String, Sendable {
    case antenna, error, warning
  }

  /// The state of the antenna.
  public enum Antenna: String, Sendable {
    /// The receiver does not know the state.
    case unknown
    /// The antenna draws a normal current.
    case good
    /// No antenna draws current: none is connected, the cable is broken, or the antenna is passive.
    case open
    /// The antenna or its cable has a short circuit.
    case shorted
    /// The receiver uses its internal antenna.
    case `internal`
    /// The receiver uses an external antenna.
    case external
  }

  /// The subject.
  public var kind: Kind
  /// The state of the antenna; `nil` for errors and warnings.
  public var antenna: Antenna?
  /// The text of an error or warning as sent; empty for the antenna.
  public var text: String
  /// The name of the receiver; `nil` if the source has only one receiver.
  public var source: String?
  /// Whether the receiver has stated the same before.
  public var isRepeated: Bool
  /// The time of arrival; `nil` in a replay at full speed.
  public var receivedAt: MonotonicTime?

  /// Makes a message about the antenna.
  public init(antenna: Antenna, isRepeated: Bool = false) {
    kind = .antenna
    self.antenna = antenna
    text = ""
    self.isRepeated = isRepeated
  }

  /// Makes an error or a warning.
  public init(_ kind: Kind, _ text: String, isRepeated: Bool = false) {
    self.kind = kind
    self.text = text
    self.isRepeated = isRepeated
  }

  /// Whether the message is about a fault.
  public var isFault: Bool {
    switch antenna {
    case .open, .shorted: true
    case .unknown, .good, .internal, .external: false
    case nil: true
    }
  }

  /// The message as text, such as `the receiver reports a short circuit of its antenna`.
  public var description: String {
    switch antenna {
    case .unknown: "the receiver does not know the state of its antenna"
    case .good: "the receiver reports a good antenna"
    case .open: "the receiver reports that no antenna is connected (open)"
    case .shorted: "the receiver reports a short circuit of its antenna"
    case .internal: "the receiver uses its internal antenna"
    case .external: "the receiver uses an external antenna"
    case nil: "the receiver reports the \(kind.rawValue) \"\(text)\""
    }
  }

  /// The next step; `nil` after the last step.
  public var advice: String? {
    switch antenna {
    case .open:
      "connect the antenna, or check its cable and plug; a passive antenna is also reported as open"
    case .shorted: "disconnect the antenna, and replace it or its cable"
    case .unknown, .good, .internal, .external: nil
    case nil:
      text.hasPrefix("txbuf")
        ? "raise the baud rate of the receiver, or switch off sentences" : nil
    }
  }
}
