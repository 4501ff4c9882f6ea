// SPDX-License-Identifier: Apache-2.0

/// A weak reference to a manager's delegate, with the actor that the delegate needs.
///
/// Unchecked, because a delegate that is not `Sendable` is used on the main actor only.
struct DelegateReference: @unchecked Sendable {
  private(set) weak var delegate: (any LocationManagerCallbacks)?
  /// Whether the delegate must be called on the main actor.
  let isOnMainActor: Bool

  /// The delegate that may be called on any actor; `nil` if the delegate needs the main actor.
  var onAnyActor: (any LocationManagerDelegate)? {
    isOnMainActor ? nil : delegate as? any LocationManagerDelegate
  }

  /// The delegate that must be called on the main actor; `nil` if it may be called on any actor.
  @MainActor var onMainActor: (any LocationManagerCallbacks)? { isOnMainActor ? delegate : nil }

  init() { isOnMainActor = false }

  init(_ delegate: any LocationManagerDelegate) {
    self.delegate = delegate
    isOnMainActor = false
  }

  init(onMainActor delegate: any LocationManagerCallbacks) {
    self.delegate = delegate
    isOnMainActor = true
  }
}
