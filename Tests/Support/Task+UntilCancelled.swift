// SPDX-License-Identifier: Apache-2.0

extension Task where Success == Never, Failure == Never {
  /// Returns when the current task is cancelled.
  package static func untilCancelled() async {
    let (endless, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in endless {}
    withExtendedLifetime(continuation) {}
  }
}
