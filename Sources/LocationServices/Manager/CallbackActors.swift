// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// The actors on which a manager's callbacks can run.
struct CallbackActors {
  /// The actor that the creator chose, or on which the manager was created.
  ///
  /// Weak, because this actor often retains the manager.
  private weak var chosen: (any Actor)?
  /// The actor of the manager, which runs the callbacks if there is no other actor.
  private let own = OwnActor()

  init(chosen: (any Actor)?) { self.chosen = chosen }

  /// Returns the actor for the next callback to a delegate.
  func actor(for delegate: DelegateReference) -> any Actor {
    if delegate.isOnMainActor { return MainActor.shared }
    return chosen ?? own
  }

  private actor OwnActor {}
}

extension Actor {
  /// Calls a closure on the actor.
  func perform<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}

extension MainActor {
  private static let mark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// The main actor if the caller runs on it; otherwise `nil`.
  ///
  /// Complements `#isolation`, which is `nil` in the initial value of a property and in a function
  /// that is not isolated, even if the main actor runs them.
  package static var ofCaller: MainActor? {
    DispatchQueue.getSpecific(key: mark) == true ? shared : nil
  }
}
