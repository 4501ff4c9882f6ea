// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension NetworkPath {
  /// Reads the path as it is now, once.
  ///
  /// Blocks for a millisecond or so, a few seconds at most where the kernel does not answer.
  ///
  /// - Parameters:
  ///   - destination: Where it should lead.
  ///   - rules: What the configuration says about interfaces.
  /// - Returns: The path; satisfied with the reason `unknown` where the kernel cannot be asked.
  public static func present(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> NetworkPath {
    do throws(NetlinkError) {
      var reader = NetlinkReader(socket: try KernelNetlinkSocket(isListening: false))
      return try PathInquiry(destination: destination, rules: rules).path(&reader)
    } catch {
      return .unknown(error)
    }
  }
}
