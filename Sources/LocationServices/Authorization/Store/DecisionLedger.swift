// SPDX-License-Identifier: Apache-2.0

package import SystemSupport

/// The content of the store: decisions, pending requests, and the switch for the whole board.
package struct DecisionLedger: Hashable, Codable, Sendable {
  /// The current version of the schema.
  static let knownVersion = 1
  /// The maximum number of decisions; further ones are rejected.
  static let maxDecisions = 1024
  /// The maximum number of pending requests; further ones are not filed.
  static let maxPending = 64
  /// The maximum number of programs recorded for a pending request.
  static let maxProcesses = 16
  /// The maximum length of texts; longer ones are truncated.
  static let maxTextBytes = 200

  var version = knownVersion
  private var nextID: UInt64 = 1
  /// Whether location services are disabled for the whole board, regardless of decisions.
  package var isSwitchedOff = false
  /// The decisions, oldest first; at most one per selector.
  package private(set) var decisions: [Decision] = []
  /// The pending requests, oldest first.
  ///
  /// There is at most one per client and level, and one per client and purpose of full accuracy.
  package private(set) var pending: [PendingRequest] = []
  /// The grants of temporary full accuracy, oldest first; at most one per selector.
  package private(set) var leases: [FullAccuracyLease] = []
  /// The selectors of ended decisions, oldest first, each once.
  ///
  /// A client whose decision has ended must make a request again. If there were too many selectors,
  /// the list contains only `everyone`.
  package private(set) var ended: [ClientSelector] = []

  package init() {}

  /// Decodes a ledger; entries with an application name, written by earlier versions, are dropped.
  ///
  /// Without the name, such an entry would apply to all programs of its user or unit, or to
  /// everyone.
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
    // Files of earlier versions do not contain these keys.
    if container.contains(.leases) { leases = try entries(.leases) }
    if container.contains(.ended) { ended = try entries(.ended) }
  }

  /// The first invalid content; `nil` if the content is valid.
  var fault: String? {
    if !hasValidState { return "contains invalid entries" }
    return leases.first { !$0.hasValidDuration }.map { lease in
      "answer \(lease.id) for \(lease.selector): \(lease.validForSeconds) s of full accuracy, "
        + "outside the range of 1 to \(DurationText.maxSeconds) s"
    }
  }

  /// Whether all limits are kept; a selector `everyone` is invalid, because a selector with a
  /// misspelled key is decoded as `everyone`.
  var hasValidState: Bool {
    decisions.allSatisfy { $0.selector != .everyone } && decisions.count <= Self.maxDecisions
      && pending.count <= Self.maxPending
      && pending.allSatisfy { $0.processes.count <= Self.maxProcesses }
      && leases.count <= Self.maxDecisions && leases.allSatisfy { $0.selector != .everyone }
      && ended.count <= Self.maxDecisions
  }

  /// Records a decision, replacing an earlier one for the same selector.
  ///
  /// The decision answers pending requests, but a grant of reduced accuracy does not answer
  /// requests for full accuracy. A refusal also ends temporary full accuracy.
  ///
  /// - Returns: The number of the decision; `nil` if there are too many decisions.
  package mutating func record(_ decision: Decision) -> UInt64? {
    var decision = decision
    decisions.removeAll { $0.selector == decision.selector }
    guard decisions.count < Self.maxDecisions else { return nil }
    let grantsReduced = decision.level != .denied && decision.isReduced
    let answered = pending.filter {
      decision.selector.covers($0.selector) && !(grantsReduced && $0.fullAccuracyPurposeKey != nil)
    }
    decision.id = takeID()
    decision.reason = decision.reason.map(Self.truncated)
    decision.purpose = (decision.purpose ?? answered.first?.purpose).map(Self.truncated)
    pending.removeAll { request in answered.contains { $0.id == request.id } }
    if decision.level == .denied {
      leases.removeAll { decision.selector.covers($0.selector) }
    }
    ended.removeAll { $0 == decision.selector }
    decisions.append(decision)
    return decision.id
  }

  /// Deletes all entries for a selector.
  ///
  /// - Returns: Whether there was anything to delete.
  package mutating func reset(_ selector: ClientSelector) -> Bool {
    let count = decisions.count + pending.count + leases.count + ended.count
    decisions.removeAll { $0.selector == selector }
    pending.removeAll { $0.selector == selector }
    leases.removeAll { $0.selector == selector }
    ended.removeAll { $0 == selector }
    return decisions.count + pending.count + leases.count + ended.count != count
  }

  /// Claims a one-time grant for a program, unless another program has claimed it.
  ///
  /// - Returns: Whether the program holds the claim.
  mutating func claim(_ id: UInt64, by process: ProcessToken) -> Bool {
    guard let index = decisions.firstIndex(where: { $0.id == id && $0.servesOnce }) else {
      return false
    }
    if decisions[index].usedBy == nil { decisions[index].usedBy = process }
    return decisions[index].usedBy == process
  }

  /// Ends a one-time grant that has been used.
  mutating func useUp(_ id: UInt64, by process: ProcessToken) {
    end { $0.id == id && $0.servesOnce && $0.usedBy == process }
  }

  /// Files a request, or joins an equal pending one.
  ///
  /// - Returns: The request; `nil` if too many are pending.
  mutating func file(
    _ request: AuthorizationRequest, of client: ClientIdentity, purpose: String,
    fullAccuracyPurposeKey: String? = nil, process: ProcessToken, at now: BootTimestamp
  ) -> PendingRequest? {
    let key = fullAccuracyPurposeKey.map(Self.truncated)
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
      purpose: Self.truncated(purpose), created: now, processes: [process])
    pending.append(filed)
    return filed
  }

  /// Withdraws the pending requests of a program that `isIncluded` selects, by default all.
  mutating func withdraw(
    _ process: ProcessToken, where isIncluded: (PendingRequest) -> Bool = { _ in true }
  ) {
    for index in pending.indices where isIncluded(pending[index]) {
      pending[index].processes.removeAll { $0 == process }
    }
    pending.removeAll { $0.processes.isEmpty }
  }

  /// Removes expired decisions, and the claims and requests of programs that have ended.
  package mutating func prune(at now: BootTimestamp) {
    prune(at: now, isAlive: ProcessEvidence().isAlive)
  }

  mutating func prune(at now: BootTimestamp, isAlive: (ProcessToken) -> Bool) {
    end { decision in
      decision.validity(at: now) == .over || decision.usedBy.map { !isAlive($0) } == true
    }
    leases.removeAll { $0.isFinished(at: now) }
    for index in pending.indices { pending[index].processes.removeAll { !isAlive($0) } }
    pending.removeAll { $0.processes.isEmpty }
  }

  /// Removes ended decisions and remembers their selectors.
  private mutating func end(where isFinished: (Decision) -> Bool) {
    for decision in decisions where isFinished(decision) { remember(decision.selector) }
    decisions.removeAll(where: isFinished)
  }

  // MARK: Temporary full accuracy

  /// Records temporary full accuracy, replacing an earlier grant for the same selector.
  ///
  /// The grant answers pending requests for full accuracy and is then limited to their purposes.
  ///
  /// - Returns: The number of the grant; `nil` if there are too many grants, or if the selector is
  ///   `everyone`.
  package mutating func record(_ lease: FullAccuracyLease) -> UInt64? {
    var lease = lease
    guard lease.selector != .everyone else { return nil }
    var leases = leases.filter { $0.selector != lease.selector }
    guard leases.count < Self.maxDecisions else { return nil }
    let answered = pending.filter {
      $0.fullAccuracyPurposeKey != nil && lease.selector.covers($0.selector)
    }
    lease.purposeKeys = answered.compactMap(\.fullAccuracyPurposeKey)
    lease.reason = lease.reason.map(Self.truncated)
    lease.id = takeID()
    pending.removeAll { answered.contains($0) }
    leases.append(lease)
    self.leases = leases
    return lease.id
  }

  /// Refuses pending requests for full accuracy, and ends grants of full accuracy.
  ///
  /// - Returns: Whether there was anything to refuse or to end.
  package mutating func refuseFullAccuracy(_ selector: ClientSelector) -> Bool {
    let count = leases.count + pending.count
    leases.removeAll { selector.covers($0.selector) }
    pending.removeAll { $0.fullAccuracyPurposeKey != nil && selector.covers($0.selector) }
    return leases.count + pending.count != count
  }

  /// Returns the remaining seconds of full accuracy for a client; `nil` without a grant.
  ///
  /// Without a purpose key, grants for any purpose are included.
  package func fullAccuracySeconds(
    for client: ClientIdentity, purposeKey key: String?, at now: BootTimestamp
  ) -> Int64? {
    leases.filter { lease in
      lease.selector.matches(client)
        && (lease.purposeKeys.isEmpty
          || key.map { lease.purposeKeys.contains(Self.truncated($0)) } ?? true)
    }.compactMap { $0.remainingSeconds(at: now) }.max()
  }

  // MARK: Ended decisions

  /// Whether a decision for a client exists, or has ended and was not reset by an operator.
  ///
  /// A client whose decision has ended must make a request again. Otherwise, at the end of a
  /// limited grant, a client with a base authorization would get more than the grant permitted.
  func hadDecision(for client: ClientIdentity) -> Bool {
    decisions.contains { $0.selector.matches(client) } || ended.contains { $0.matches(client) }
  }

  /// Remembers the selector of an ended decision; `everyone` if there are too many.
  private mutating func remember(_ selector: ClientSelector) {
    guard !ended.contains(selector), !ended.contains(.everyone) else { return }
    if ended.count < Self.maxDecisions { ended.append(selector) } else { ended = [.everyone] }
  }

  private mutating func takeID() -> UInt64 {
    defer { nextID &+= 1 }
    return nextID
  }

  static func truncated(_ text: String) -> String {
    var text = text
    while text.utf8.count > maxTextBytes { text.removeLast() }
    return text
  }
}

extension ClientSelector {
  /// Returns whether this selector matches every client that the other selector matches.
  package func covers(_ other: ClientSelector) -> Bool {
    (userID == nil || userID == other.userID)
      && (systemUnit == nil || systemUnit == other.systemUnit)
  }
}

/// An entry of a stored ledger; `nil` if its selector contains an application name.
///
/// Programs chose these names themselves, and earlier versions stored them in selectors.
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
