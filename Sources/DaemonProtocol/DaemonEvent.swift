// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import Positioning

/// One object of the daemon's stream, read.
///
/// What an `ERROR` is about is said by its `error`: `sourceLost` and `dropped` are the stream's own,
/// `plugin` is trouble of something that takes fixes, and of the fixes says nothing; the words of
/// ``DaemonFault`` are about a request. One that is not known, or missing, says nothing of fixes.
///
///     {"class":"ERROR","error":"sourceLost","message":"the receiver is gone",
///      "source":"/dev/ttyACM0","reason":"deactivated","device":"/dev/ttyACM0"}
///     {"class":"ERROR","error":"plugin","message":"no space left on device","source":"sink gpx"}
public enum DaemonEvent: Equatable, Sendable {
  /// What the client may know from here on.
  case authorization(DaemonAuthorization)
  /// An epoch, with or without a position.
  case fix(Fix)
  /// The satellites.
  case sky(SkyView)
  /// A receiver.
  case receiver(ReceiverInfo)
  /// Nothing comes any more, from a receiver or from the whole source of that name.
  case lost(SourceLoss, source: String?)
  /// Something failed of which nothing follows for fixes.
  case failure(message: String, source: String?)
  /// So many objects are missing here, for the client read too slowly.
  case dropped(Int)
  /// Any other object, of a class that is read elsewhere or that a newer daemon has.
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

    /// What an `ERROR` is about.
    var failure: DaemonEvent {
      let message = message ?? "unknown failure"
      if let dropped { return .dropped(dropped) }
      guard error == ServedLoss.word else { return .failure(message: message, source: source) }
      let known = reason.flatMap { SourceLoss.Reason(rawValue: $0) }
      // A reason of a newer daemon is told in its own words.
      let loss = SourceLoss(
        known ?? .disconnected, receiver: device, detail: known == nil ? message : detail)
      return .lost(loss, source: source)
    }
  }

  /// Reads an object; fields that are not known are passed over.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - now: The present reading of this process's clock, for what has an age.
  /// - Throws: ``DaemonUnreadable`` for what is no object of the daemon.
  public init(json: [UInt8], now: MonotonicTime?) throws(DaemonUnreadable) {
    let decoder = JSONDecoder()
    let data = Data(json)
    func read<Value: Decodable>(_ type: Value.Type) throws(DaemonUnreadable) -> Value {
      do { return try decoder.decode(type, from: data) } catch {
        throw DaemonUnreadable(what: String(decoding: json.prefix(200), as: UTF8.self))
      }
    }
    let head = try read(Head.self)
    switch head.class {
    case "AUTH": self = .authorization(try read(DaemonAuthorization.Wire.self).value())
    case "TPV": self = .fix(try read(FixWire.self).fix(now: now))
    case "SKY": self = .sky(try read(SkyWire.self).sky(now: now))
    case "DEVICE": self = .receiver(try read(DeviceWire.self).receiver)
    case "ERROR": self = head.failure
    default: self = .other(class: head.class, json: json)
    }
  }
}

/// Something that no daemon of this version sends.
public struct DaemonUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
  /// How it begins.
  public var what: String

  /// Makes the error.
  public init(what: String) { self.what = what }

  /// The error in a sentence.
  public var description: String { "the daemon's answer cannot be read: \(what)" }
}
