// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension PathMonitorClient {
  /// A monitor that fails the running test by name where anybody listens to it.
  ///
  /// The stream has ended. A test target that uses it also depends on the product
  /// `IssueReportingTestSupport`.
  public static var unimplemented: PathMonitorClient {
    PathMonitorClient {
      failTest("PathMonitorClient.networkPaths")
      return AsyncStream { $0.finish() }
    }
  }
}
