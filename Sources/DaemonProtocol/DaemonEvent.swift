// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import Positioning

/// A decoded object of the daemon's event stream.
///
/// The `error` field of an `ERROR` object is the kind of error. `sourceLost` and `dropped` concern
/// the stream itself. `plugin` is a failure of a plugin, which does not affect fixes. The values of
/// ``DaemonFault`` concern a request. Any other value, or none, is a failure that does not affect
/// fixes.
///
///     {"class":"ERROR","error":"sourceLost","message":"the receiver is gone",
///      "source":"/dev/ttyACM0","reason":"deactivated","device":"/dev/ttyACM0"}
///     {"class":"ERROR","error":"plugin","message":"no space left on device","source":"sink gpx"}
public enum DaemonEvent: Equatable, Sendable {
  /// The client's new authorization.
  case authorization(DaemonAuthorization)
  /// An epoch, with or without a position.
  case fix(Fix)
  /// The heading of the epoch whose ``fix(_:)`` follows with the same receiver and time.
  case heading(Heading)
  /// The satellites in view.
  case sky(SkyView)
  /// The description and state of a receiver.
  case receiver(ReceiverInfo)
  /// A statement of a receiver about itself, such as the state of its antenna.
  case message(ReceiverMessage)
  /// The loss of a receiver, or of the source named `source` with all its receivers.
  case lost(SourceLoss, source: String?)
  /// A failure that does not affect fixes.
  case failure(message: String, source: String?)
  /// The number of objects that the daemon dropped at this point of the stream, because the client
  /// reads too slowly.
  case dropped(Int)
  /// An object of another class as JSON, possibly from a newer daemon.
  case other(class: String, json: [UInt8])

  private struct Head: Decodable {
    var `class`: String
    var message: String?
    var source: String?
    var dropped: Int?
    var error: String?
    var reason: String?
    var device: String?
    var detail: String?

    /// The event of an `ERROR` object.
    var failure: DaemonEvent {
      let message = message ?? "unknown failure"
      if let dropped { return .dropped(dropped) }
      guard error == SourceLossObject.errorName else {
        return .failure(message: message, source: source)
      }
      let knownReason = reason.flatMap { SourceLoss.Reason(rawValue: $0) }
      // A newer daemon may send a reason that this enum lacks; keep the message as the detail.
      let loss = SourceLoss(
        knownReason ?? .disconnected, receiver: device,
        detail: knownReason == nil ? message : detail)
      return .lost(loss, source: source)
    }
  }

  /// Decodes an object; unknown fields are ignored.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - now: The current time of this process's clock. An object arrived at `now` minus its age.
  ///     If `nil`, ages are ignored.
  /// - Throws: ``DaemonDecodingError`` if the text is not an object of the daemon.
  public init(json: [UInt8], now: MonotonicTime?) throws(DaemonDecodingError) {
    let decoder = JSONDecoder()
    let data = Data(json)
    func read<Value: Decodable>(_ type: Value.Type) throws(DaemonDecodingError) -> Value {
      do { return try decoder.decode(type, from: data) } catch {
        throw DaemonDecodingError(what: String(decoding: json.prefix(200), as: UTF8.self))
      }
    }
    let head = try read(Head.self)
    switch head.class {
    case "AUTH": self = .authorization(try read(DaemonAuthorization.Wire.self).value())
    case "TPV": self = .fix(try read(FixWire.self).fix(now: now))
    case "ATT": self = .heading(try read(HeadingWire.self).value)
    case "SKY": self = .sky(try read(SkyWire.self).sky(now: now))
    case "DEVICE": self = .receiver(try read(DeviceWire.self).receiver)
    case "MESSAGE":
      self =
        try read(MessageWire.self).message(now: now).map(DaemonEvent.message)
        ?? .other(class: head.class, json: json)
    case "ERROR": self = head.failure
    default: self = .other(class: head.class, json: json)
    }
  }
}

/// An error for data that is not valid in this version of the daemon's protocol.
public struct DaemonDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The beginning of the data.
  public var what: String

  /// Creates an error.
  public init(what: String) { self.what = what }

  /// The error in a sentence.
  public var description: String { "unexpected answer from the daemon: \(what)" }
}
