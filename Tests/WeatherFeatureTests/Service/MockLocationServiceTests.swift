// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherFeature

@Suite("Mock location service", .timeLimit(.minutes(5)))
@MainActor struct MockLocationServiceTests {
  typealias FetchResult = Result<Location, LocationServiceError>

  @Test(arguments: [FetchResult.success(.at(40)), FetchResult.failure(.timedOut)])
  func `a mock location service completes each fetch once with its result, after the call`(
    result: FetchResult
  ) async {
    let service = MockLocationService(result)
    let results = EventRecorder<FetchResult>()
    for _ in 1...2 { service.fetchLocation { results.record($0) } }
    #expect(results.events.isEmpty)
    #expect(await results.wait(for: 2) == [result, result])
  }

  @Test func `the async fetch of a location service returns the location or throws the error`()
    async throws
  {
    #expect(try await MockLocationService(.success(.at(40))).fetchLocation() == .at(40))
    await #expect(throws: LocationServiceError.notAuthorizedToRequestLocation) {
      try await MockLocationService(.failure(.notAuthorizedToRequestLocation)).fetchLocation()
    }
  }
}
