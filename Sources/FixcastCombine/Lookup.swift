// SPDX-License-Identifier: Apache-2.0

/// A sequence whose only element is the result of a lookup, which starts when the element is read.
struct Lookup<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  typealias Body = @Sendable () async throws(Failure) -> Element

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var body: Body?

    mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      guard let body else { return nil }
      self.body = nil
      return try await body()
    }
  }

  private let body: Body

  init(_ body: @escaping Body) { self.body = body }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body) }
}
