// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastCombine
import LocationServices
import OpenCombine
import OpenCombineDispatch
import PathMonitorClient
import Positioning

/// A delegate that is not `Sendable`.
final class SubjectDelegate: LocationManagerCallbacks {
  let locations = PassthroughSubject<[Location], Never>()
}

/// Use on the main actor and elsewhere.
func attachAndSend(to manager: LocationManager) async {
  let delegate = SubjectDelegate()
  await MainActor.run { manager.mainActorDelegate = delegate }  // refused
  delegate.locations.send([])
}

/// A publisher that leaves the closure of its queue.
@MainActor func leave(_ monitor: PathMonitorClient, _ queue: DispatchQueue) -> AnyCancellable {
  monitor.networkPathPublisher(on: queue.ocombine).subscribe { paths in
    Task { @MainActor in _ = paths.sink { _ in } }  // refused
    return AnyCancellable {}
  }
}
