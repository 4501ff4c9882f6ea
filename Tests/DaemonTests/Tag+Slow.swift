// SPDX-License-Identifier: Apache-2.0

import Testing

extension Tag {
  /// Tests that keep a processor busy for more than ten seconds.
  @Tag static var slow: Self
}
