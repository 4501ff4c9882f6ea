// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// Keeps those who may know nothing from taking the places of all others.
extension ServerCore {
  /// Root and the daemon's own user, who have to get through whoever else is there.
  func isExempt(_ userID: UInt32) -> Bool { Self.isExempt(userID, ownUser: ownUser) }

  static func isExempt(_ userID: UInt32, ownUser: UInt32) -> Bool {
    userID == 0 || userID == ownUser
  }

  /// Ends connections of clients that may know nothing, where there are too many: the oldest of the
  /// owner that has the most, so that a lone one that waits for an operator is not driven out by a
  /// crowd.
  mutating func thinOut(_ now: MonotonicTime) -> [Action] {
    var idle: [ConnectionOwner: [ConnectionID]] = [:]
    var count = 0
    for (id, connection) in connections where isIdle(connection) {
      idle[connection.owner, default: []].append(id)
      count += 1
    }
    var actions: [Action] = []
    while count > limits.idleConnections {
      // The newer connection where two have as many, so that the same events have the same end.
      let most = idle.max {
        ($0.value.count, $0.value.min() ?? 0) < ($1.value.count, $1.value.min() ?? 0)
      }
      guard let most, let oldest = most.value.min() else { break }
      idle[most.key]?.removeAll { $0 == oldest }
      count -= 1
      actions += evict(oldest, now)
    }
    return actions
  }

  private func isIdle(_ connection: ServerConnection) -> Bool {
    guard !isExempt(connection.owner.userID) else { return false }
    switch connection.phase {
    case .asksStatus, .answering: return false
    case .reading, .opening: return true
    case .locating, .asking, .askingFullAccuracy, .streaming:
      return connection.client.map { reach(of: $0) } ?? .nothing == .nothing
    }
  }

  private mutating func evict(_ id: ConnectionID, _ now: MonotonicTime) -> [Action] {
    refusedCount += 1
    guard connections[id]?.phase == .streaming else { return refuse(id, .busy, now) }
    connections[id]?.phase = .answering
    return [.abort(id)]
  }
}
