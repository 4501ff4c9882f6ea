// SPDX-License-Identifier: Apache-2.0

/// A source that counts the sentences it reads.
public protocol NMEACounting: Sendable {
  /// What the present or last run has read.
  var counters: NMEACounters { get }
}
