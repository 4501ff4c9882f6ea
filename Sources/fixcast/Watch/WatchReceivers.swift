// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The receivers that a live view has heard of: which, from when, and why one was lost.
struct WatchReceivers: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var info: ReceiverInfo
    /// From when it is there, or since when it is lost.
    var since: MonotonicTime
    /// Why it is lost; `nil` while it is there.
    var loss: SourceLoss?
  }

  /// A USB port that is plugged again and again under new names must not fill the memory.
  static let limit = 8

  /// In the order in which they were first heard of.
  private(set) var entries: [Entry] = []

  /// Takes what is known of a receiver.
  mutating func note(_ info: ReceiverInfo, at now: MonotonicTime) {
    guard let index = index(of: info.name) else {
      return append(Entry(info: info, since: now))
    }
    entries[index].info = info
    // That it is not read is no word of it.
    if info.isActive { returned(index, at: now) }
  }

  /// Takes note of a receiver's word: it is there.
  mutating func heard(of name: String?, at now: MonotonicTime) {
    guard let name else { return }
    guard let index = index(of: name) else {
      return append(Entry(info: ReceiverInfo(name: name, isActive: true), since: now))
    }
    entries[index].info.isActive = true
    returned(index, at: now)
  }

  /// Takes a loss: of one receiver, or of all that the source had.
  mutating func lose(_ loss: SourceLoss, at now: MonotonicTime) {
    if let name = loss.receiver, index(of: name) == nil {
      append(Entry(info: ReceiverInfo(name: name, isActive: false), since: now))
    }
    for index in entries.indices
    where loss.receiver == nil || entries[index].info.name == loss.receiver {
      // Lost since it was first noticed, with the newest reason; that nothing comes of any is
      // none of one that is unplugged.
      if entries[index].loss == nil {
        entries[index].since = now
      } else if loss.receiver == nil, loss.reason == .silent {
        continue
      }
      entries[index].loss = loss
    }
  }

  private func index(of name: String) -> Int? { entries.firstIndex { $0.info.name == name } }

  /// A word from before the loss, read late, does not undo it.
  private mutating func returned(_ index: Int, at now: MonotonicTime) {
    guard entries[index].loss != nil, now >= entries[index].since else { return }
    entries[index].loss = nil
    entries[index].since = now
  }

  private mutating func append(_ entry: Entry) {
    if entries.count >= Self.limit {
      let least =
        entries.firstIndex { $0.loss != nil } ?? entries.firstIndex { !$0.info.isActive }
      entries.remove(at: least ?? 0)
    }
    entries.append(entry)
  }
}
