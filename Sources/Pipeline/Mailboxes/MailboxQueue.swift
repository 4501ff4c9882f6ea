// SPDX-License-Identifier: Apache-2.0

/// Decides what waits in a mailbox, and what goes: a value without a reader.
///
/// What came in was taken, dropped, or waits: the counts always add up.
public struct MailboxQueue<Element, Key: Hashable> {
  /// What became of an element that was put in.
  public enum Outcome: Equatable, Sendable {
    /// It waits.
    case waits
    /// It waits, and another went for it.
    case replaced
    /// It was turned away.
    case turnedAway
    /// It was turned away although nothing may be lost.
    case overflow
  }

  /// What it does when more comes in than is taken out.
  public private(set) var policy: MailboxPolicy
  /// How many were put in.
  public private(set) var sentCount: UInt64 = 0
  /// How many the policy has dropped.
  public private(set) var droppedCount: UInt64 = 0
  /// How many were there to be taken when there was nobody any more, or came later.
  public private(set) var lostCount: UInt64 = 0
  /// The most that ever waited.
  public private(set) var highWater = 0
  /// Whether nobody will take anything.
  public private(set) var isClosed = false
  private let key: (Element) -> Key
  private let mayDrop: (Element) -> Bool
  private var elements: [Element?] = []
  private var head = 0

  /// Makes an empty queue.
  ///
  /// - Parameters:
  ///   - policy: What it does when more comes in than is taken out.
  ///   - key: What an element is about; of those alike, ``MailboxPolicy/keepNewest`` keeps one.
  ///   - mayDrop: Whether an element may go where ``MailboxPolicy/neverDrop(limit:)`` holds.
  public init(
    _ policy: MailboxPolicy, key: @escaping (Element) -> Key,
    mayDrop: @escaping (Element) -> Bool = { _ in false }
  ) {
    self.policy = policy
    self.key = key
    self.mayDrop = mayDrop
  }

  /// How many wait.
  public var depth: Int { elements.count - head }

  /// Puts an element in.
  ///
  /// - Parameter element: The element.
  /// - Returns: What became of it.
  public mutating func send(_ element: Element) -> Outcome {
    sentCount &+= 1
    if isClosed {
      lostCount &+= 1
      return .turnedAway
    }
    var outcome = Outcome.waits
    if case .keepNewest = policy, removeOne(like: element) {
      outcome = .replaced
    } else if depth >= policy.limit {
      droppedCount &+= 1
      switch policy {
      case .keepNewest, .dropOldest:
        _ = popFirst()
        outcome = .replaced
      case .spill: return .turnedAway
      case .neverDrop:
        if !removeFirst(where: mayDrop) { return mayDrop(element) ? .turnedAway : .overflow }
        outcome = .replaced
      }
    }
    elements.append(element)
    highWater = max(highWater, depth)
    return outcome
  }

  /// Takes the oldest out.
  ///
  /// - Returns: The oldest; `nil` where none waits.
  public mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      elements[head] = nil
      head += 1
      // What is empty at the front costs no more than what waits.
      if head >= 32, head * 2 >= elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }

  /// Takes back what was taken out and not dealt with: kept at the front, or counted as lost.
  ///
  /// Where there is no room any more, what has come last goes for it and is counted, as it would have
  /// been turned away.
  ///
  /// - Parameter element: What was taken out last.
  /// - Returns: Whether it is kept.
  public mutating func putBack(_ element: Element) -> Bool {
    guard policy.keepsRefused, !isClosed else {
      lose()
      return false
    }
    if case .spill = policy, depth >= policy.limit {
      elements.removeLast()
      droppedCount &+= 1
    }
    if head > 0 {
      head -= 1
      elements[head] = element
    } else {
      elements.insert(element, at: 0)
    }
    highWater = max(highWater, depth)
    return true
  }

  /// Drops all that waits.
  public mutating func dropAll() { while popFirst() != nil { droppedCount &+= 1 } }

  /// Counts one that was taken out and is not dealt with.
  public mutating func lose() { lostCount &+= 1 }

  /// Takes another policy; what waits beyond its limit goes, the oldest first.
  public mutating func change(_ policy: MailboxPolicy) {
    self.policy = policy
    if case .keepNewest = policy {
      var seen: Set<Key> = []
      let newest = elements[head...].reversed().filter { element in
        element.map { seen.insert(key($0)).inserted } ?? false
      }
      droppedCount &+= UInt64(depth - newest.count)
      elements = newest.reversed()
      head = 0
    }
    while depth > policy.limit {
      _ = popFirst()
      droppedCount &+= 1
    }
  }

  /// Nobody will take anything: what waits is lost.
  public mutating func close() {
    isClosed = true
    lostCount &+= UInt64(depth)
    elements = []
    head = 0
  }

  /// Somebody takes again.
  public mutating func reopen() { isClosed = false }

  private mutating func removeOne(like element: Element) -> Bool {
    let (key, wanted) = (key, key(element))
    guard removeFirst(where: { key($0) == wanted }) else { return false }
    droppedCount &+= 1
    return true
  }

  private mutating func removeFirst(where isWanted: (Element) -> Bool) -> Bool {
    for index in elements.indices.dropFirst(head) {
      guard let waiting = elements[index], isWanted(waiting) else { continue }
      elements.remove(at: index)
      return true
    }
    return false
  }
}
