// SPDX-License-Identifier: Apache-2.0

import Receivers

extension PseudoTerminal {
  /// Starts a receiver that sends bursts, numbered from 0, until the task is cancelled.
  ///
  /// The pause after each burst ends its epoch. It is real time, because the reader is a program
  /// with its own clock.
  func sendBursts(
    pause: Duration = .milliseconds(600), _ burst: @escaping @Sendable (_ number: Int) -> [UInt8]
  ) -> Task<Void, Never> {
    Task {
      var number = 0
      while !Task.isCancelled {
        write(burst(number))
        number += 1
        try? await ContinuousClock().sleep(for: pause)
      }
    }
  }
}
