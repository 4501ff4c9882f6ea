// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing
import WeatherClient

@testable import Daemon

@Suite("Changes that end the back-off of lookups", .timeLimit(.minutes(5)))
struct ProviderPathChangeTests {
  @Test func `a lost and a returned path are changes, and the outcome of a lookup is none`() async {
    let (paths, path) = AsyncStream.makeStream(of: NetworkPath.self)
    let provider = ProviderPath(.happyPath, monitor: PathMonitorClient { paths })
    var seen = provider.monitor.networkPaths().makeAsyncIterator()
    #expect(provider.changeCount() == 0)
    for (status, count) in [(NetworkPath.Status.satisfied, 1), (.unsatisfied, 2), (.satisfied, 3)] {
      path.yield(NetworkPath(status: status))
      let published = await seen.next()
      #expect(published?.status == status)
      #expect(provider.changeCount() == UInt64(count))
      _ = try? await provider.client.weather(.coordinate(.at(1, 0)))
      #expect(provider.changeCount() == UInt64(count))
    }
  }
}
