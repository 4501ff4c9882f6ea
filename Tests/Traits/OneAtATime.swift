// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Runs the cases of tests that compute for seconds one after the other.
///
/// Such a case occupies a thread of Swift's pool, which has one thread for each processor. Two of
/// them at once would stop all other tests on two processors, also those that expect an answer
/// within a second.
package struct OneAtATime: TestTrait, SuiteTrait, TestScoping {
  /// The cases that wait for the end of another one.
  private actor Queue {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
      guard isBusy else { return isBusy = true }
      await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
      if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
  }

  private static let queue = Queue()

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await body() }
    await Self.queue.begin()
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await Self.queue.end()
    try result.get()
  }
}

extension Trait where Self == OneAtATime {
  /// Runs the cases of tests with this trait one after the other.
  package static var oneAtATime: Self { OneAtATime() }
}
