// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A decoded `MESSAGE` object.
struct MessageWire: Decodable {
  var device: String?
  var kind: String
  var antenna: String?
  var text: String?
  var repeated: Bool?

  /// The message; `nil` if a newer daemon sends an unknown kind or state.
  func message(now: MonotonicTime?) -> ReceiverMessage? {
    guard let kind = ReceiverMessage.Kind(rawValue: kind) else { return nil }
    var message: ReceiverMessage
    if kind == .antenna {
      guard let antenna = antenna.flatMap(ReceiverMessage.Antenna.init) else { return nil }
      message = ReceiverMessage(antenna: antenna)
    } else {
      message = ReceiverMessage(kind, text ?? "")
    }
    message.isRepeated = repeated ?? false
    message.source = device
    message.receivedAt = now
    return message
  }
}
