// SPDX-License-Identifier: Apache-2.0

public import SystemSupport

/// What the store holds: answers, requests that wait for one, and the switch for the whole board.
public struct DecisionLedger: Hashable, Codable, Sendable {
  /// The only version of the schema there is.
  static let knownVersion = 1
  /// Answers beyond are refused.
  static let mostDecisions = 1024
  /// Requests beyond are not filed.
  static let mostPending = 64
  /// Programs beyond that wait for the same answer are not counted.
  static let mostProcesses = 16
  /// Texts of operators and programs are cut to that.
  static let mostTextBytes = 200

  var version = knownVersion
  private var nextID: UInt64 = 1
  /// Whether nobody may know where the board is, whatever was answered.
  public var isSwitchedOff = false
  /// The answers, the oldest first; one for each selector at most.
  public private(set) var decisions: [Decision] = []
  /// The requests that wait, the oldest first; one for each client and level at most, and one for
  /// each purpose of full accuracy.
  public private(set) var pending: [PendingRequest] = []
  /// Missing in files that were written before there was any.
  private var storedLeases: [FullAccuracyLease]?
  /// Full accuracy for a while, the oldest first; one for each selector at most.
  public internal(set) var leases: [FullAccuracyLease] {
    get { storedLeases ?? [] }
    set { storedLeases = newValue.isEmpty ? nil : newValue }
  }

  /// Missing in files that were written before there was any.
  private var storedEnded: [ClientSelector]?
  /// Whom answers were for that are over, the oldest first, each once.
  ///
  /// Who had one is asked about anew. Everyone, where there were too many to remember.
  public internal(set) var ended: [ClientSelector] {
    get { storedEnded ?? [] }
    set { storedEnded = newValue.isEmpty ? nil : newValue }
  }

  private enum CodingKeys: String, CodingKey {
    case version, nextID, isSwitchedOff, decisions, pending
    case storedLeases = "leases"
    case storedEnded = "ended"
  }

  /// Makes an empty ledger.
  public init() {}

  /// Reads a ledger; entries about an application name, as earlier versions wrote, are dropped.
  ///
  /// Read without the name, such an entry would be about all programs of its user or unit, or
  /// about everyone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func entries<Entry: Decodable>(_ key: CodingKeys) throws -> [Entry] {
      try container.decode([StoredEntry<Entry>].self, forKey: key).compactMap(\.entry)
    }
    version = try container.decode(Int.self, forKey: .version)
    nextID = try container.decode(UInt64.self, forKey: .nextID)
    isSwitchedOff = try container.decode(Bool.self, forKey: .isSwitchedOff)
    decisions = try entries(.decisions)
    pending = try entries(.pending)
    if container.contains(.storedLeases) { leases = try entries(.storedLeases) }
    if container.contains(.storedEnded) { ended = try entries(.storedEnded) }
  }

  /// What in it cannot be what an operator has said; `nil` where nothing is wrong.
  var fault: String? {
    if !isWithinBounds { return "holds what it may not" }
    return leases.first { !$0.isSayable }.map { lease in
      "answer \(lease.id) for \(lease.selector): lasts \(lease.validForSeconds) s, and full accuracy "
        + "is given for 1 to \(DurationText.mostSeconds) s"
    }
  }

  /// Whether it is what ``record(_:)`` and filing make; what selects everyone may be a misspelt key.
  var isWithinBounds: Bool {
    decisions.allSatisfy { $0.selector != .everyone } && decisions.count <= Self.mostDecisions
      && pending.count <= Self.mostPending
      && pending.allSatisfy { $0.processes.count <= Self.mostProcesses }
      && leases.count <= Self.mostDecisions && leases.allSatisfy { $0.selector != .everyone }
      && ended.count <= Self.mostDecisions
  }

  /// Records an answer in place of an earlier one for the same selector.
  ///
  /// Requests that it answers wait no longer; one for full accuracy is not answered by a grant of
  /// reduced accuracy. A refusal also ends full accuracy for a while.
  ///
  /// - Parameter decision: The answer; its number is given here, its texts are cut.
  /// - Returns: The number; `nil` where there are too many answers already.
  public mutating func record(_ decision: Decision) -> UInt64? {
    var decision = decision
    decisions.removeAll { $0.selector == decision.selector }
    guard decisions.count < Self.mostDecisions else { return nil }
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
  /// - Parameter selector: Whose.
  /// - Returns: Whether there was anything to forget.
  public mutating func reset(_ selector: ClientSelector) -> Bool {
    let count = decisions.count + pending.count + leases.count + ended.count
    decisions.removeAll { $0.selector == selector }
    pending.removeAll { $0.selector == selector }
    leases.removeAll { $0.selector == selector }
    ended.removeAll { $0 == selector }
    return decisions.count + pending.count + leases.count + ended.count != count
  }

  /// Takes a program as the user of a grant that serves once, if it has none yet.
  ///
  /// - Parameters:
  ///   - id: The number of the answer.
  ///   - process: The program.
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
    fullAccuracyPurposeKey: String? = nil, process: ProcessToken, at now: BoardTime
  ) -> PendingRequest? {
    let key = fullAccuracyPurposeKey.map(Self.cut)
    let index = pending.firstIndex {
      $0.selector == client.evidence && $0.request == request && $0.fullAccuracyPurposeKey == key
    }
    if let index {
      let processes = pending[index].processes
      if !processes.contains(process), processes.count < Self.mostProcesses {
        pending[index].processes.append(process)
      }
      return pending[index]
    }
    guard pending.count < Self.mostPending else { return nil }
    let filed = PendingRequest(
      id: takeID(), selector: client.evidence, request: request, fullAccuracyPurposeKey: key,
      purpose: Self.cut(purpose), created: now, processes: [process])
    pending.append(filed)
    return filed
  }

  /// Takes back what a program has asked for.
  mutating func withdraw(_ process: ProcessToken) {
    withdraw(process) { _ in true }
  }

  /// Takes back some of it.
  mutating func withdraw(_ process: ProcessToken, where isMeant: (PendingRequest) -> Bool) {
    for index in pending.indices where isMeant(pending[index]) {
      pending[index].processes.removeAll { $0 == process }
    }
    pending.removeAll { $0.processes.isEmpty }
  }

  /// Forgets requests without an answer.
  mutating func forget(where isMeant: (PendingRequest) -> Bool) {
    pending.removeAll(where: isMeant)
  }

  /// Forgets what has run out: expired answers, and what was for programs that have ended.
  public mutating func prune(at now: BoardTime) {
    prune(at: now, isAlive: ProcessEvidence().isAlive)
  }

  mutating func prune(at now: BoardTime, isAlive: (ProcessToken) -> Bool) {
    end { decision in
      decision.standing(at: now) == .over || decision.usedBy.map { !isAlive($0) } == true
    }
    leases.removeAll { $0.isOver(at: now) }
    for index in pending.indices { pending[index].processes.removeAll { !isAlive($0) } }
    pending.removeAll { $0.processes.isEmpty }
  }

  /// Takes answers away that are over, and remembers whom they were for.
  private mutating func end(where isOver: (Decision) -> Bool) {
    for decision in decisions where isOver(decision) { remember(decision.selector) }
    decisions.removeAll(where: isOver)
  }

  mutating func takeID() -> UInt64 {
    defer { nextID &+= 1 }
    return nextID
  }

  static func cut(_ text: String) -> String {
    var text = text
    while text.utf8.count > mostTextBytes { text.removeLast() }
    return text
  }
}

extension ClientSelector {
  /// Whether every client that another one selects is selected by this one too.
  ///
  /// - Parameter other: The other one.
  /// - Returns: Whether each part that this one names is named by the other, and the same.
  public func covers(_ other: ClientSelector) -> Bool {
    (userID == nil || userID == other.userID)
      && (systemUnit == nil || systemUnit == other.systemUnit)
  }
}
