// SPDX-License-Identifier: Apache-2.0

import Positioning
import Receivers

/// The receivers seen during a watch, with the time and reason of each loss.
struct WatchReceivers: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var info: ReceiverInfo
    /// The time at which the receiver became present or lost.
    var since: MonotonicTime
    /// The reason for the loss; `nil` while the receiver is present.
    var loss: SourceLoss?
  }

  /// The maximum number of entries; bounds the memory if a receiver reconnects under new names.
  static let limit = 8

  /// The receivers, in the order in which they were first seen.
  private(set) var entries: [Entry] = []

  /// Adds or updates a receiver.
  mutating func update(_ info: ReceiverInfo, at now: MonotonicTime) {
    guard let index = index(of: info.name) else {
      return append(Entry(info: info, since: now))
    }
    // A receiver that is present and then no longer read was removed from the configuration.
    if !info.isActive, entries[index].info.isActive, entries[index].loss == nil {
      entries.remove(at: index)
      return
    }
    entries[index].info = info
    // An inactive receiver may still be lost.
    if info.isActive { clearLoss(index, at: now) }
  }

  /// Removes the receivers that were lost together with their server.
  ///
  /// After the server is connected again, it reports the receivers that are present.
  mutating func removeLostWithServer() {
    entries.removeAll { entry in
      entry.loss.map { $0.receiver == nil && $0.reason != .silent } ?? false
    }
  }

  /// Marks a receiver as present after data from it has arrived.
  mutating func markPresent(_ name: String?, at now: MonotonicTime) {
    guard let name else { return }
    guard let index = index(of: name) else {
      return append(Entry(info: ReceiverInfo(name: name, isActive: true), since: now))
    }
    entries[index].info.isActive = true
    clearLoss(index, at: now)
  }

  /// Marks the receiver that the loss names as lost, or all receivers if the loss names none.
  mutating func markLost(_ loss: SourceLoss, at now: MonotonicTime) {
    if loss.detail == SourceGroup.removalDetail, let name = loss.receiver {
      return entries.removeAll { $0.info.name == name }
    }
    if let name = loss.receiver, index(of: name) == nil {
      append(Entry(info: ReceiverInfo(name: name, isActive: false), since: now))
    }
    for index in entries.indices
    where loss.receiver == nil || entries[index].info.name == loss.receiver {
      // Keeps the time of the first loss but the newest reason. The silence of the whole source
      // does not replace the reason for an unplugged receiver.
      if entries[index].loss == nil {
        entries[index].since = now
      } else if loss.receiver == nil, loss.reason == .silent {
        continue
      }
      entries[index].loss = loss
    }
  }

  private func index(of name: String) -> Int? { entries.firstIndex { $0.info.name == name } }

  /// Marks a lost receiver as present, unless `now` is before the loss.
  private mutating func clearLoss(_ index: Int, at now: MonotonicTime) {
    guard entries[index].loss != nil, now >= entries[index].since else { return }
    entries[index].loss = nil
    entries[index].since = now
  }

  private mutating func append(_ entry: Entry) {
    if entries.count >= Self.limit {
      let evicted =
        entries.firstIndex { $0.loss != nil } ?? entries.firstIndex { !$0.info.isActive }
      entries.remove(at: evicted ?? 0)
    }
    entries.append(entry)
  }
}
