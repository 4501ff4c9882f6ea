// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SQLiteStore

/// Messages that are kept until they are acknowledged.
protocol MQTTKeptMessages: ~Copyable, SendableMetatype {
  /// Returns the first message after a sequence number, with its own; `nil` if there is none.
  mutating func next(
    after sequence: Int64
  ) throws(SQLiteError) -> (sequence: Int64, message: MQTTMessage)?

  /// Returns the number of messages, and the time of the first one if it is known.
  func undelivered() throws(SQLiteError) -> (count: Int, oldestAt: UTCTime?)

  /// Removes the messages with sequence numbers in a range.
  mutating func remove(_ sequences: ClosedRange<Int64>) throws(SQLiteError)
}

extension MQTTKeptMessages where Self: ~Copyable {
  /// Passes the messages to a closure that changes them.
  mutating func change<Result: Sendable>(
    _ body: @Sendable (inout Self) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try body(&self)
  }
}

/// The positions of an outbox, as messages of one topic.
struct MQTTTrack: ~Copyable, MQTTKeptMessages {
  var outbox: MQTTOutbox
  private let topic: String
  private let isNumbered: Bool

  /// Opens or creates the outbox.
  ///
  /// - Parameters:
  ///   - options: The file and its limits.
  ///   - topic: The topic of the messages.
  ///   - isNumbered: Whether the positions are JSON objects to which `sequence` is added.
  /// - Throws: `SQLiteError` if the file cannot be opened.
  init(
    _ options: MQTTOutbox.Options, topic: String, isNumbered: Bool = true
  ) throws(SQLiteError) {
    outbox = try MQTTOutbox(options)
    (self.topic, self.isNumbered) = (topic, isNumbered)
  }

  mutating func next(
    after sequence: Int64
  ) throws(SQLiteError) -> (sequence: Int64, message: MQTTMessage)? {
    guard let item = try outbox.next(after: sequence) else { return nil }
    let number = isNumbered ? Array("{\"sequence\":\(item.sequence),".utf8) : [123]
    let payload = number + item.payload.dropFirst()
    return (item.sequence, MQTTMessage(topic: topic, payload: payload, isRetained: false))
  }

  func undelivered() throws(SQLiteError) -> (count: Int, oldestAt: UTCTime?) {
    (outbox.count, try outbox.oldestAt())
  }

  mutating func remove(_ sequences: ClosedRange<Int64>) throws(SQLiteError) {
    try outbox.remove(sequences)
  }
}
