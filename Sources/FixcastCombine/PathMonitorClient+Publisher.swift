// SPDX-License-Identifier: Apache-2.0

public import OpenCombine
public import PathMonitorClient

extension PathMonitorClient {
  /// A publisher of the current path and all later paths.
  ///
  /// The monitor runs while there is a subscriber. Values are delivered on the main actor.
  public var networkPathPublisher: AnyPublisher<NetworkPath, Never> {
    StreamPublisher(networkPaths).eraseToAnyPublisher()
  }
}
