// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocationServices
import Positioning
import Receivers
import SystemSupport

/// A minimal program with a receiver and a delegate.
final class DelegateProbe: LocationManagerDelegate {
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    let now = MonotonicClock.nanoseconds()
    // `receivedAt` is a reading of a clock that also runs while the machine is suspended.
    let suspendedNanoseconds = MonotonicTime.now().nanoseconds - MonotonicClock.nanoseconds()
    for location in locations {
      guard let time = location.time, let received = location.receivedAt else { continue }
      let readNanoseconds = received.nanoseconds - suspendedNanoseconds
      Arrival(
        epochMilliseconds: time.milliseconds, atNanoseconds: now, readNanoseconds: readNanoseconds
      ).report()
    }
  }

  /// Reads a receiver until the process is terminated.
  static func run(devnode: String) async {
    let probe = DelegateProbe()
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "measure the latency")
    manager.delegate = probe
    manager.startUpdatingLocation()
    do {
      try await SerialSource(devnode: devnode).run { manager.ingest($0) }
    } catch {
      exit(69)
    }
    withExtendedLifetime(probe) {}
  }
}
