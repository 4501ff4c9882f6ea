// SPDX-License-Identifier: Apache-2.0

/// An object that calls a closure when it is released.
///
/// A test lets the code under test retain the object, to detect when that code releases it.
package final class Held: Sendable {
  private let whenReleased: @Sendable () -> Void

  /// Makes an object; `whenReleased` is called on the thread that releases it last.
  package init(whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }

  deinit { whenReleased() }
}
