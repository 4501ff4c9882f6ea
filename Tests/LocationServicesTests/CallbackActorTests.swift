// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Actor of a manager's callbacks", .timeLimit(.minutes(5)))
struct CallbackActorTests {
  /// Records for each callback whether it runs on the main actor.
  private final class Probe: LocationManagerDelegate {
    let isOnMain = EventRecorder<Bool>()

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      isOnMain.record(MainActor.ofCaller != nil)
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      isOnMain.record(MainActor.ofCaller != nil)
    }
  }

  private static func manager() -> LocationManager {
    LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
  }

  /// Managers that are created in each place of a type that is isolated to the main actor.
  @MainActor private final class Screen {
    let ofProperty = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
    let ofInitializer: LocationManager
    let ofFunction = manager()

    init() { ofInitializer = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test") }
  }

  @Test func `callbacks of a manager that is created on the main actor run on the main actor`()
    async
  {
    let screen = await Screen()
    for manager in [screen.ofProperty, screen.ofInitializer, screen.ofFunction] {
      let probe = Probe()
      manager.delegate = probe
      #expect(await probe.isOnMain.wait(for: 1) == [true])
    }
  }

  @Test func `callbacks of a manager that is created without an actor run on its own actor`() async {
    let manager = Self.manager()
    let probe = Probe()
    // The actor that sets the delegate has no influence.
    await MainActor.run { manager.delegate = probe }
    #expect(await probe.isOnMain.wait(for: 1) == [false])
  }

  @Test func `callbacks run on the actor that created the manager, which need not be the main one`()
    async
  {
    let owner = QueueOwner()
    let manager = await owner.makeManager()
    let executorChecks = EventRecorder<Bool>()
    let delegate = RecordingDelegate { _, _ in executorChecks.record(owner.queue.isCurrent) }
    manager.delegate = delegate
    #expect(await executorChecks.wait(for: 1) == [true])
  }

  @Test func `a manager does not retain the actor that created it, and then uses its own actor`()
    async
  {
    var owner: QueueOwner? = QueueOwner()
    weak let released = owner
    let manager = await owner?.makeManager()
    let delegate = RecordingDelegate()
    owner = nil
    manager?.delegate = delegate
    #expect(await delegate.recorder.wait(for: 1) == [.didChangeAuthorization(.always)])
    #expect(released == nil)
  }

  @Test func `a task executor is used even if the manager is created on the main actor`() async {
    let tasks = QueueTasks()
    let executorChecks = EventRecorder<Bool>()
    let delegate = RecordingDelegate { _, _ in executorChecks.record(tasks.isCurrent) }
    let manager = await MainActor.run {
      LocationManager(policy: ScriptedPolicy(.always), purpose: "Test", executor: tasks)
    }
    manager.delegate = delegate
    #expect(await executorChecks.wait(for: 1) == [true])
  }

  /// A class as for Core Location: isolated to the main actor, the delegate of its own manager.
  @MainActor private final class Service: @MainActor LocationManagerCallbacks {
    let isOnMain = EventRecorder<Bool>()
    private(set) var locations: [Location] = []
    private let manager: LocationManager

    init(_ manager: LocationManager) {
      self.manager = manager
      manager.mainActorDelegate = self
      manager.startUpdatingLocation()
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      isOnMain.record(MainActor.ofCaller != nil)
      self.locations += locations
    }
  }

  @Test func `a delegate on the main actor gets callbacks there, whatever created the manager`()
    async
  {
    let manager = Self.manager()
    let service = await Service(manager)
    #expect(await MainActor.run { manager.mainActorDelegate === service })
    #expect(manager.delegate == nil)
    for meters in 1...3 { manager.ingest(.fix(at: .north(Double(meters)))) }
    #expect(await service.isOnMain.wait(for: 3) == [true, true, true])
    #expect(await service.locations.count == 3)
  }

  @Test func `replacing a delegate moves the callbacks to the actor of the new delegate`() async {
    let manager = Self.manager()
    for _ in 1...20 {
      let service = await Service(manager)
      manager.ingest(.fix(at: .here))
      #expect(await service.isOnMain.wait(for: 1) == [true])
      let probe = Probe()
      manager.delegate = probe
      manager.ingest(.fix(at: .here))
      #expect(await probe.isOnMain.wait(for: 2) == [false, false])
      #expect(await MainActor.run { manager.mainActorDelegate == nil })
    }
  }

  @Test func `a delegate on the main actor is not retained by its manager`() async {
    let manager = Self.manager()
    var service: Service? = await Service(manager)
    weak let released = service
    await manager.waitUntilDelivered()
    #expect(released != nil)
    service = nil
    #expect(await MainActor.run { manager.mainActorDelegate == nil })
  }
}

extension QueueOwner {
  /// Creates a manager on this actor.
  fileprivate func makeManager() -> LocationManager {
    LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
  }
}
