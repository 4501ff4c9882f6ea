// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing

@testable import LocationServices

@Suite("Queue of service uses", .timeLimit(.minutes(1)))
struct ServiceUseQueueTests {
  @Test func `one caller at a time delivers service uses, in the order in which they were added`() {
    var notes = ServiceUseQueue()
    #expect(notes.add([]) == false)
    #expect(notes.add([.started(.oneShot)]) == true)
    #expect(notes.next() == .started(.oneShot))
    // Another thread adds uses while the policy is being called.
    #expect(notes.add([.firstLocation(.oneShot), .stopped(.oneShot, locationCount: 1)]) == false)
    #expect(notes.next() == .firstLocation(.oneShot))
    #expect(notes.next() == .stopped(.oneShot, locationCount: 1))
    #expect(notes.next() == nil)
    // The previous delivery has ended.
    #expect(notes.add([.activityEnded]) == true)
  }

  @Test func `the queue of service uses is limited if the policy blocks, and dropped uses are counted`() {
    var notes = ServiceUseQueue()
    for _ in 0..<ServiceUseQueue.maxWaiting + 3 { _ = notes.add([.started(.oneShot)]) }
    #expect(notes.droppedCount == 3)
    var count = 0
    while notes.next() != nil { count += 1 }
    #expect(count == ServiceUseQueue.maxWaiting)
  }

  @Test func `the start and the end of a service use are dropped only together`() {
    var notes = ServiceUseQueue()
    #expect(notes.add([.started(.updates), .activityBegan(reason: "a")]) == true)
    #expect(notes.next() == .started(.updates))
    let request: [ServiceUse] = [
      .started(.oneShot), .firstLocation(.oneShot), .stopped(.oneShot, locationCount: 1),
    ]
    for _ in 0..<ServiceUseQueue.maxWaiting { _ = notes.add(request) }
    _ = notes.add([.activityBegan(reason: "b"), .started(.visits)])
    _ = notes.add([.stopped(.updates, locationCount: 9), .activityEnded, .activityEnded])
    var counts: [LocationServiceKind: Int] = [.updates: 1]
    var activities = 0
    var waiting = 0
    while let use = notes.next() {
      waiting += 1
      switch use {
      case .started(let service): counts[service, default: 0] += 1
      case .stopped(let service, _): counts[service, default: 0] -= 1
      case .activityBegan: activities += 1
      case .activityEnded: activities -= 1
      case .firstLocation: break
      }
    }
    #expect(counts.values.allSatisfy { $0 == 0 } && activities == 0, "\(counts)")
    #expect(waiting <= ServiceUseQueue.maxWaiting + 4)
    // There is space again, but the start was dropped, so its end is dropped, too.
    _ = notes.add([.stopped(.visits, locationCount: 0), .started(.visits)])
    #expect(notes.next() == .started(.visits) && notes.next() == nil)
  }

  /// A policy that runs a closure during its first note, as another thread might.
  private final class InterruptedPolicy: AuthorizationPolicy {
    let initialAuthorization = Authorization.always
    /// The notes, in the order in which they were completed.
    let completed = EventRecorder<ServiceUse>()
    let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

    func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
      .decided(initialAuthorization)
    }

    func note(_ use: ServiceUse) {
      let body = meanwhile.withLock { body in
        defer { body = nil }
        return body
      }
      body?()
      completed.record(use)
    }
  }

  @Test func `if a one-shot request is answered while its start is noted, its end is noted later`() {
    let policy = InterruptedPolicy()
    let manager = LocationManager(policy: policy, purpose: "Test")
    policy.meanwhile.withLock { $0 = { [weak manager] in manager?.ingest(.fix(at: .here)) } }
    manager.requestLocation()
    #expect(
      policy.completed.events == [
        .started(.oneShot), .firstLocation(.oneShot), .stopped(.oneShot, locationCount: 1),
      ])
    var session = UseSession()
    #expect(policy.completed.events.map { session.take($0) } == [false, false, true])
  }
}
