// SPDX-License-Identifier: Apache-2.0

/// The tasks of a location manager, cancelled when it is released.
struct ManagerTasks: Sendable {
  enum Key: Hashable, Sendable {
    /// The source of the manager.
    case source
    case timer(LocationMachine.Timer)
    /// A request that the policy has not answered yet, with its number.
    case authorization(number: UInt64)
    case fullAccuracy(number: UInt64)
  }

  private var tasks: [Key: Task<Void, Never>] = [:]
  private var listening: PolicyListening?

  var timers: [LocationMachine.Timer] {
    tasks.keys.compactMap { if case .timer(let timer) = $0 { timer } else { nil } }
  }

  mutating func run(_ key: Key, _ body: @escaping @Sendable () async -> Void) {
    tasks[key] = Task { await body() }
  }

  mutating func finish(_ key: Key) { tasks[key] = nil }

  mutating func cancel(_ key: Key) { tasks.removeValue(forKey: key)?.cancel() }

  mutating func listen(_ new: PolicyListening?) { listening = new }

  func cancelAll() {
    listening?.end()
    for task in tasks.values { task.cancel() }
  }
}
