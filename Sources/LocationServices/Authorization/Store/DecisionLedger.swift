// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// What the store holds: answers, requests that wait for one, and the switch for the whole board.
package struct DecisionLedger: Hashable, Codable, Sendable {
  /// The only version of the schema there is.
  static let knownVersion = 1
  /// Answers beyond are refused.
  static let maxDecisions = 1024
  /// Requests beyond are not filed.
  static let maxPending = 64
  /// Programs beyond that wait for the same answer are not counted.
  static let maxProcesses = 16
  /// Texts of operators and programs are cut to that.
  static let maxTextBytes = 200

  var version = knownVersion
  private var nextID: UInt64 = 1
  /// Whether nobody may know where the board is, whatever was answered.
  package var isSwitchedOff = false
  /// The answers, the oldest first; one for each selector at most.
  package private(set) var decisions: [Decision] = []
  /// The requests that wait, the oldest first; one for each client and level at most, and one for
  /// each purpose of full accuracy.
  package private(set) var pending: [PendingRequest] = []
  /// Full accuracy for a while, the oldest first; one for each selector at most.
  package private(set) var leases: [FullAccuracyLease] = []
  /// Whom answers were for that are over, the oldest first, each once.
  ///
  /// Who had one is asked about anew. Everyone, where there were too many to remember.
  package private(set) var ended: [ClientSelector] = []

  package init() {}

  /// Reads a ledger; entries about an application name, as earlier versions wrote, are dropped.
  ///
  /// Read without the name, such an entry would be about all programs of its user or unit, or
  /// about everyone.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func entries<Entry: Decodable>(_ key: CodingKeys) throws -> [Entry] {
      try container.decode([StoredEntry<Entry>].self, forKey: key).compactMap(\.entry)
    }
    version = try container.decode(Int.self, forKey: .version)
    nextID = try container.decode(UInt64.self, forKey: .nextID)
    isSwitchedOff = try container.decode(Bool.self, forKey: .isSwitchedOff)
    decisions = try entries(.decisions)
    pending = try entries(.pending)
    // Missing in files of earlier versions.
    if container.contains(.leases) { leases = try entries(.leases) }
    if container.contains(.ended) { ended = try entries(.ended) }
  }

  /// What in it cannot be what an operator has said; `nil` where nothing is wrong.
  var fault: String? {
    if !isWithinBounds { return "holds what it may not" }
    return leases.first { !$0.isSayable }.map { lease in
      "answer \(lease.id) for \(lease.selector): lasts \(lease.validForSeconds) s, and full accuracy "
        + "is given for 1 to \(DurationText.maxSeconds) s"
    }
  }

  /// Whether it is what ``record(_:)`` and filing make; what selects everyone may be a misspelt key.
  var isWithinBounds: Bool {
    decisions.allSatisfy { $0.selector != .everyone } && decisions.count <= Self.maxDecisions
      && pending.count <= Self.maxPending
      && pending.allSatisfy { $0.processes.count <= Self.maxProcesses }
      && leases.count <= Self.maxDecisions && leases.allSatisfy { $0.selector != .everyone }
      && ended.count <= Self.maxDecisions
  }

  /// Records an answer in place of an earlier one for the same selector.
  ///
  /// Requests that it answers wait no longer; one for full accuracy is not answered by a grant of
  /// reduced accuracy. A refusal also ends full accuracy for a while.
  ///
  /// Returns the number; `nil` where there are too many answers already.
  package mutating func record(_ decision: Decision) -> UInt64? {
    var decision = decision
    decisions.removeAll { $0.selector == decision.selector }
    guard decisions.count < Self.maxDecisions else { return nil }
    let grantsLess = decision.level != .denied && decision.isReduced
    let answered = pending.filter {
      decision.selector.covers($0.selector) && !(grantsLess && $0.fullAccuracyPurposeKey != nil)
    }
    decision.id = takeID()
    decision.reason = decision.reason.map(Self.cut)
    decision.purpose = (decision.purpose ?? answered.first?.purpose).map(Self.cut)
    pending.removeAll { request in answered.contains { $0.id == request.id } }
    if decision.level == .denied {
      leases.removeAll { decision.selector.covers($0.selector) }
    }
    ended.removeAll { $0 == decision.selector }
    decisions.append(decision)
    return decision.id
  }

  /// Forgets the answer for a selector, and the requests of those it selects.
  ///
  /// - Returns: Whether there was anything to forget.
  package mutating func reset(_ selector: ClientSelector) -> Bool {
    let count = decisions.count + pending.count + leases.count + ended.count
    decisions.removeAll { $0.selector == selector }
    pending.removeAll { $0.selector == selector }
    leases.removeAll { $0.selector == selector }
    ended.removeAll { $0 == selector }
    return decisions.count + pending.count + leases.count + ended.count != count
  }

  /// Takes a program as the user of a grant that serves once, if it has none yet.
  ///
  /// - Returns: Whether the grant is that program's.
  mutating func claim(_ id: UInt64, by process: ProcessToken) -> Bool {
    guard let index = decisions.firstIndex(where: { $0.id == id && $0.servesOnce }) else {
      return false
    }
    if decisions[index].usedBy == nil { decisions[index].usedBy = process }
    return decisions[index].usedBy == process
  }

  /// Takes a grant away that has served its once.
  mutating func useUp(_ id: UInt64, by process: ProcessToken) {
    end { $0.id == id && $0.servesOnce && $0.usedBy == process }
  }

  /// Files a request, or joins one like it.
  ///
  /// - Returns: The request; `nil` where too many wait already.
  mutating func file(
    _ request: AuthorizationRequest, of client: ClientIdentity, purpose: String,
    fullAccuracyPurposeKey: String? = nil, process: ProcessToken, at now: BootTimestamp
  ) -> PendingRequest? {
    let key = fullAccuracyPurposeKey.map(Self.cut)
    let index = pending.firstIndex {
      $0.selector == client.evidence && $0.request == request && $0.fullAccuracyPurposeKey == key
    }
    if let index {
      let processes = pending[index].processes
      if !processes.contains(process), processes.count < Self.maxProcesses {
        pending[index].processes.append(process)
      }
      return pending[index]
    }
    guard pending.count < Self.maxPending else { return nil }
    let filed = PendingRequest(
      id: takeID(), selector: client.evidence, request: request, fullAccuracyPurposeKey: key,
      purpose: Self.cut(purpose), created: now, processes: [process])
    pending.append(filed)
    return filed
  }

  /// Takes back what a program has asked for, or some of it.
  mutating func withdraw(
    _ process: ProcessToken, where isMeant: (PendingRequest) -> Bool = { _ in true }
  ) {
    for index in pending.indices where isMeant(pending[index]) {
      pending[index].processes.removeAll { $0 == process }
    }
    pending.removeAll { $0.processes.isEmpty }
  }

  /// Forgets what has run out: expired answers, and what was for programs that have ended.
  package mutating func prune(at now: BootTimestamp) {
    prune(at: now, isAlive: ProcessEvidence().isAlive)
  }

  mutating func prune(at now: BootTimestamp, isAlive: (ProcessToken) -> Bool) {
    end { decision in
      decision.standing(at: now) == .over || decision.usedBy.map { !isAlive($0) } == true
    }
    leases.removeAll { $0.isFinished(at: now) }
    for index in pending.indices { pending[index].processes.removeAll { !isAlive($0) } }
    pending.removeAll { $0.processes.isEmpty }
  }

  /// Takes answers away that are over, and remembers whom they were for.
  private mutating func end(where isFinished: (Decision) -> Bool) {
    for decision in decisions where isFinished(decision) { remember(decision.selector) }
    decisions.removeAll(where: isFinished)
  }

  // MARK: Full accuracy for a while

  /// Records full accuracy for a while in place of an earlier one for the same selector.
  ///
  /// Requests for it that are answered so wait no longer, and it is for their purposes alone.
  ///
  /// Returns the number; `nil` where there are too many already, or where the selector is everyone.
  package mutating func record(_ lease: FullAccuracyLease) -> UInt64? {
    var lease = lease
    guard lease.selector != .everyone else { return nil }
    var leases = leases.filter { $0.selector != lease.selector }
    guard leases.count < Self.maxDecisions else { return nil }
    let answered = pending.filter {
      $0.fullAccuracyPurposeKey != nil && lease.selector.covers($0.selector)
    }
    lease.purposeKeys = answered.compactMap(\.fullAccuracyPurposeKey)
    lease.reason = lease.reason.map(Self.cut)
    lease.id = takeID()
    pending.removeAll { answered.contains($0) }
    leases.append(lease)
    self.leases = leases
    return lease.id
  }

  /// Refuses requests for full accuracy that wait, and ends what was given of it.
  ///
  /// - Returns: Whether there was anything to refuse or to end.
  package mutating func refuseFullAccuracy(_ selector: ClientSelector) -> Bool {
    let count = leases.count + pending.count
    leases.removeAll { selector.covers($0.selector) }
    pending.removeAll { $0.fullAccuracyPurposeKey != nil && selector.covers($0.selector) }
    return leases.count + pending.count != count
  }

  /// Seconds of full accuracy that a client has for a purpose, `nil` for any; `nil` where nobody
  /// has given it.
  package func fullAccuracySeconds(
    for client: ClientIdentity, purposeKey key: String?, at now: BootTimestamp
  ) -> Int64? {
    leases.filter { lease in
      lease.selector.matches(client)
        && (lease.purposeKeys.isEmpty
          || key.map { lease.purposeKeys.contains(Self.cut($0)) } ?? true)
    }.compactMap { $0.remainingSeconds(at: now) }.max()
  }

  // MARK: What is over

  /// Whether an answer for a client is there, or was and is over, and no operator has forgotten it.
  ///
  /// A client whose answer is over is asked about anew. Were the answer forgotten, a client that is
  /// allowed as long as nobody has said anything would have more at its end than it gave.
  func hasAnswered(_ client: ClientIdentity) -> Bool {
    decisions.contains { $0.selector.matches(client) } || ended.contains { $0.matches(client) }
  }

  /// Remembers that an answer is over; beyond what can be remembered, that everybody's are.
  private mutating func remember(_ selector: ClientSelector) {
    guard !ended.contains(selector), !ended.contains(.everyone) else { return }
    if ended.count < Self.maxDecisions { ended.append(selector) } else { ended = [.everyone] }
  }

  private mutating func takeID() -> UInt64 {
    defer { nextID &+= 1 }
    return nextID
  }

  static func cut(_ text: String) -> String {
    var text = text
    while text.utf8.count > maxTextBytes { text.removeLast() }
    return text
  }
}

extension ClientSelector {
  /// Whether every client that another one selects is selected by this one too.
  ///
  /// - Returns: Whether each part that this one names is named by the other, and the same.
  package func covers(_ other: ClientSelector) -> Bool {
    (userID == nil || userID == other.userID)
      && (systemUnit == nil || systemUnit == other.systemUnit)
  }
}

/// An entry of a stored ledger; `nil` where its selector has an application name.
///
/// Programs chose these names themselves, and earlier versions took them into selectors.
private struct StoredEntry<Entry: Decodable>: Decodable {
  private enum Key: String, CodingKey {
    case selector, applicationID
  }

  let entry: Entry?

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let selector =
      Entry.self == ClientSelector.self
      ? container : try container.nestedContainer(keyedBy: Key.self, forKey: .selector)
    let name = try selector.decodeIfPresent(String.self, forKey: .applicationID)
    entry = name == nil ? try Entry(from: decoder) : nil
  }
}
