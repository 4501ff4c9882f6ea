// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import FixcastCombine
import OpenCombine
import Positioning
import Receivers

/// A view of the observable object: the title of the status, then each position.
@MainActor final class LocationView {
  private let object: CoreLocationObject
  private var subscriptions: Set<AnyCancellable> = []

  init(_ object: CoreLocationObject, show: @escaping @MainActor (String) -> Void) {
    self.object = object
    object.$authorizationStatus.removeDuplicates().sink { status in
      show(status.title)
      if status.isAuthorized { object.locate() }
    }.store(in: &subscriptions)
    object.$location.compactMap { $0?.coordinate }.sink { place in
      show("\(place.latitudeDegrees) \(place.longitudeDegrees)")
    }.store(in: &subscriptions)
  }

  func authorizeButtonTapped() { object.authorize() }
}

/// Makes the object of the board.
@MainActor func makeCoreLocationObject() -> CoreLocationObject {
  CoreLocationObject(
    .live(purpose: "to show the position", otherwise: InProcess { SourceGroup([.pluggedIn]) }))
}
