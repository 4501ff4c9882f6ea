// SPDX-License-Identifier: Apache-2.0

/// Tells when nothing holds it any more, and so when whatever holds it is gone.
package final class Held: Sendable {
  private let whenReleased: @Sendable () -> Void

  /// Makes something to be held.
  ///
  /// - Parameter whenReleased: Called by whoever lets go of it last.
  package init(whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }

  deinit { whenReleased() }
}
