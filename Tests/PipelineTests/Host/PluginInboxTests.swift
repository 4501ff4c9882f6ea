// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

/// What waits to be decided about one plugin.
@Suite("Plugin inbox", .timeLimit(.minutes(1)))
struct PluginInboxTests {
  private func names(_ inbox: PluginInbox) async -> [String] {
    inbox.close()
    var names: [String] = []
    for await event in inbox.events {
      switch event {
      case .supervision(let event): names.append("\(event)")
      case .ended(let number, _): names.append("\(number) ended")
      case .overdue(let number): names.append("\(number) overdue")
      }
    }
    return names
  }

  @Test("of what means the same twice one waits, and another when that is taken")
  func merges() async {
    let inbox = PluginInbox()
    for _ in 0..<1000 {
      inbox.send(.supervision(.replace))
      inbox.send(.supervision(.cancel))
    }
    inbox.took(.supervision(.replace))
    inbox.send(.supervision(.replace))
    #expect(await names(inbox) == ["replace", "cancel", "replace"])
    #expect(inbox.droppedCount == 0)
  }

  @Test("what is beyond its limit is counted, and after the end nothing waits or is missed")
  func limited() async {
    let inbox = PluginInbox()
    for number in UInt64(0)..<70 { inbox.send(.overdue(session: number)) }
    // What found no room does not stand for the next.
    for _ in 0..<2 { inbox.send(.supervision(.cancel)) }
    #expect(inbox.droppedCount == 8)
    #expect(await names(inbox).count == 64)
    inbox.send(.supervision(.replace))
    #expect(inbox.droppedCount == 8)
  }

  @Test("a plugin is told everything, however often it is called for from outside")
  func slot() async {
    let specification = PluginSpecification(
      "a", .sink { throw CancellationError() }, mailbox: .neverDrop(limit: 1))
    let slot = PluginSlot(PluginKey(.sink, "a"), specification, PipelineEnvironment())
    // Nobody takes anything, so that all of it waits.
    for _ in 0..<1000 {
      slot.replace(specification)
      slot.send(ErrorEvent(source: "a", message: "b"))
      slot.finish()
      slot.leave()
      slot.cancel()
    }
    #expect(slot.untoldCount == 0)
  }
}
