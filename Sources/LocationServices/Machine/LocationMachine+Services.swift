// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Services that the program starts and stops, and its requests.
extension LocationMachine {
  mutating func start(_ service: LocationServiceKind) -> [Action] {
    guard ![.oneShot, .regions, .liveUpdates].contains(service) else { return [] }
    var actions: [Action] = []
    if service == .updates {
      // Updates deliver the location that a one-shot request waits for.
      actions += endOneShot()
      outage.end()
      distanceFilter.reset()
      restWhileUpdating.reset()
      if isPaused {
        isPaused = false
        actions.append(.call(.didResumeUpdates))
      }
    }
    if started.insert(service).inserted {
      locationCounts[service] = 0
      servicesWithoutDelivery.insert(service)
      actions.append(.note(.started(service)))
      switch service {
      case .heading: headingFilter.reset()
      // The last significant change remains the reference, even one from an earlier run.
      case .significantChanges, .updates, .oneShot, .visits, .regions, .liveUpdates: break
      }
    }
    if authorization.granted.status.isRefused {
      actions.append(.call(.didFailWithError(.denied)))
    }
    return actions
  }

  mutating func stop(_ service: LocationServiceKind) -> [Action] {
    var actions: [Action] = []
    if service == .updates {
      actions += endOneShot()
      isPaused = false
      // Significant changes still need the queued locations.
      if !started.contains(.significantChanges) { actions.append(.dropLocations) }
    }
    if started.remove(service) != nil { actions.append(noteStop(service)) }
    if service == .significantChanges, significantChange.hasReference {
      significantChange.reset()
      actions.append(.monitoringChanged)
    }
    return actions
  }

  mutating func requestOnce() -> [Action] {
    if authorization.granted.status.isRefused { return [.call(.didFailWithError(.denied))] }
    // Running updates deliver locations anyway, and at most one request is pending.
    guard !started.contains(.updates) || isPaused, oneShot == nil else { return [] }
    oneShotCount &+= 1
    oneShot = OneShot(number: oneShotCount)
    locationCounts[.oneShot] = 0
    return [.note(.started(.oneShot)), .startTimer(.oneShot(oneShotCount), nil)]
  }

  /// Ends a one-shot request with the best location so far, or with an error if there was none.
  mutating func timeOut(_ number: UInt64) -> [Action] {
    guard let pending = oneShot, pending.number == number else { return [] }
    if let best = pending.best, authorization.mayDeliver {
      return [.call(.didUpdateLocations([best]))] + count(.oneShot) + endOneShot()
    }
    let neverRequested =
      authorization.granted.status == .notDetermined && authorization.pending == nil
    return [.call(.didFailWithError(neverRequested ? .denied : .locationUnknown))] + endOneShot()
  }

  mutating func endOneShot() -> [Action] {
    guard oneShot != nil else { return [] }
    oneShot = nil
    return [noteStop(.oneShot)]
  }

  /// Counts a location that a service has delivered; returns a note for the first one.
  mutating func count(_ service: LocationServiceKind) -> [Action] {
    let count = locationCounts[service, default: 0]
    locationCounts[service] = count &+ 1
    return count == 0 ? [.note(.firstLocation(service))] : []
  }

  mutating func noteStop(_ service: LocationServiceKind) -> Action {
    .note(.stopped(service, locationCount: locationCounts.removeValue(forKey: service) ?? 0))
  }

  // MARK: Regions

  mutating func startMonitoring(_ region: CircularRegion) -> [Action] {
    let status = authorization.granted.status
    guard !status.isRefused, !(status.isAuthorized && authorization.isReduced) else {
      return [.call(.monitoringDidFail(region, .regionMonitoringDenied))]
    }
    let isFirst = regions.watches.isEmpty
    switch regions.start(region) {
    case .failed(let region, let error): return [.call(.monitoringDidFail(region, error))]
    default: break
    }
    if isFirst { locationCounts[.regions] = 0 }
    return (isFirst ? [.note(.started(.regions))] : [])
      + [.monitoringChanged, .call(.didStartMonitoring(region))]
  }

  mutating func stopMonitoring(_ identifier: String) -> [Action] {
    let count = regions.watches.count
    regions.stop(identifier)
    guard regions.watches.count < count else { return [] }
    return [.monitoringChanged] + (regions.watches.isEmpty ? [noteStop(.regions)] : [])
  }

  func reportState(of region: CircularRegion) -> [Action] {
    let mayKnow = authorization.mayDeliver && !authorization.isReduced
    let state = mayKnow ? regions.state(of: region.identifier) : .unknown
    return [.call(.didDetermineState(state, region))]
  }
}
