// SPDX-License-Identifier: Apache-2.0

/// What an event is about: of those alike, a mailbox for the present keeps the newest.
struct EventKey: Hashable {
  private let kind: ObjectIdentifier
  private let subject: String?

  init(_ event: any PipelineEvent) {
    kind = ObjectIdentifier(type(of: event))
    subject = event.subject
  }
}
