// SPDX-License-Identifier: Apache-2.0

public import OpenCombine
public import PathMonitorClient

extension PathMonitorClient {
  /// The present path and each after it.
  ///
  /// The monitor runs for as long as anyone subscribes. Values arrive on the main actor.
  public var networkPathPublisher: AnyPublisher<NetworkPath, Never> {
    StreamPublisher(networkPaths).eraseToAnyPublisher()
  }
}
