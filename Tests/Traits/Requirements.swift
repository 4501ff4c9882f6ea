// SPDX-License-Identifier: Apache-2.0

internal import FixcastTestSupport
internal import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test if it does not run as root, which may act as any user and change owners.
  package static var needsRoot: Self { .enabled(if: geteuid() == 0, "needs root") }

  /// Skips a test if this process may not make network namespaces.
  package static var needsNetworkNamespaces: Self {
    .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here")
  }
}
