// SPDX-License-Identifier: Apache-2.0

import NMEA

/// A call of a handler.
enum Event: Equatable {
  case sentence(Sentence, SentenceAddress)
  case unsupported(SentenceAddress)
  case error(SentenceError)
}

/// A handler that records all calls in order.
struct Recorder: SentenceHandler {
  var events: [Event] = []

  mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress) {
    events.append(.sentence(copy sentence, address))
  }

  mutating func passOver(_ address: SentenceAddress) { events.append(.unsupported(address)) }

  mutating func report(_ error: SentenceError) { events.append(.error(error)) }
}
