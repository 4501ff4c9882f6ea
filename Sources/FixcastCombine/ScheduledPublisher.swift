// SPDX-License-Identifier: Apache-2.0

public import OpenCombine

/// A publisher that delivers on a scheduler.
///
/// All closures are `@Sendable`, so that the compiler rejects a closure that is isolated to an
/// actor. The program would crash if such a closure were called on another thread. OpenCombine's own
/// `receive(on:)` has no such check.
public struct ScheduledPublisher<Output: Sendable, Failure: Error>: Sendable {
  private let make: @Sendable () -> AnyPublisher<Output, Failure>

  init(_ make: @escaping @Sendable () -> AnyPublisher<Output, Failure>) { self.make = make }

  /// Subscribes with the operators of OpenCombine.
  ///
  /// - Parameter body: Applies operators to the publisher, and subscribes. The closures of the
  ///   operators run on the scheduler and are not isolated.
  /// - Returns: The subscription of `body`.
  public func subscribe(
    _ body: @Sendable (AnyPublisher<Output, Failure>) -> AnyCancellable
  ) -> AnyCancellable { body(make()) }

  /// Subscribes with closures that run on the scheduler.
  public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    make().sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }
}

extension ScheduledPublisher where Failure == Never {
  /// Subscribes with a closure that runs on the scheduler.
  public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
    make().sink(receiveValue: receiveValue)
  }
}
