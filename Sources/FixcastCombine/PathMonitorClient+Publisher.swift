// SPDX-License-Identifier: Apache-2.0

public import OpenCombine
public import PathMonitorClient

extension PathMonitorClient {
  /// A publisher of the current path and all later paths.
  ///
  /// The monitor runs while there is a subscriber. Values are delivered on the main actor.
  @MainActor
  public var networkPathPublisher: AnyPublisher<NetworkPath, Never> {
    StreamPublisher(.mainActor, networkPaths).eraseToAnyPublisher()
  }

  /// Returns a publisher of the current path and all later paths, which delivers on a scheduler.
  public func networkPathPublisher(
    on scheduler: some Scheduler
  ) -> ScheduledPublisher<NetworkPath, Never> {
    let delivery = Delivery.on(scheduler)
    return ScheduledPublisher { StreamPublisher(delivery, networkPaths).eraseToAnyPublisher() }
  }
}
