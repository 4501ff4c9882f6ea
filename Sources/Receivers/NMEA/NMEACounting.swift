// SPDX-License-Identifier: Apache-2.0

/// A source that counts the sentences it reads.
public protocol NMEACounting: Sendable {
  /// The counters of the current or last run.
  var counters: NMEACounters { get }
}
