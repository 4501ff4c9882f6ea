// SPDX-License-Identifier: Apache-2.0

import NMEA

/// A handler that counts calls and stores the last values, for comparisons.
struct Tally: SentenceHandler, Equatable {
  private var taken = 0
  private var passedOver = 0
  private var reported = 0
  private var sentence: Sentence?
  private var address: SentenceAddress?
  private var error: SentenceError?

  mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress) {
    taken &+= 1
    self.sentence = copy sentence
    self.address = address
  }

  mutating func passOver(_ address: SentenceAddress) {
    passedOver &+= 1
    self.address = address
  }

  mutating func report(_ error: SentenceError) {
    reported &+= 1
    self.error = error
  }
}
