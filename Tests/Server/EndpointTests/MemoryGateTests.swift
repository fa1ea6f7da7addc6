import Synchronization
import Testing

@testable import CausewayEndpoint

@Suite("A gate that counts memory")
struct MemoryGateTests {
    /// Work that is inside until it is told to leave.
    private final class Work: Sendable {
        let gate: MemoryGate
        private let state = Mutex((inside: [String](), leaving: [String: CheckedContinuation<Void, Never>]()))

        init(limitBytes: Int) { gate = MemoryGate(limitBytes: limitBytes) }

        /// In the order in which they came.
        var inside: [String] { state.withLock { $0.inside } }

        func enter(_ name: String, _ bytes: Int, of caller: String) async {
            await gate.pass(bytes, for: caller) {
                await withCheckedContinuation { leaving in
                    state.withLock {
                        $0.inside.append(name)
                        $0.leaving[name] = leaving
                    }
                }
                state.withLock { state in state.inside.removeAll { $0 == name } }
            }
        }

        func leave(_ name: String) {
            state.withLock { $0.leaving.removeValue(forKey: name) }?.resume()
        }
    }

    private func run(_ limitBytes: Int, _ body: (Work, inout TaskGroup<Void>) async -> Void) async {
        let work = Work(limitBytes: limitBytes)
        await withTaskGroup(of: Void.self) { group in await body(work, &group) }
        #expect(work.gate.heldBytes == 0 && work.gate.waitingCount == 0)
    }

    @Test("what one caller wants is no more than half, and what is larger than the bound goes alone")
    func bounds() async {
        await run(100) { work, group in
            group.addTask { await work.enter("e1", 30, of: "eve") }
            #expect(await eventually { work.inside == ["e1"] })
            group.addTask { await work.enter("e2", 30, of: "eve") }
            #expect(await eventually { work.gate.waitingCount == 1 })
            group.addTask { await work.enter("a1", 70, of: "ada") }
            #expect(await eventually { work.inside == ["e1", "a1"] })
            group.addTask { await work.enter("b1", 500, of: "ben") }
            #expect(await eventually { work.gate.waitingCount == 2 })
            work.leave("e1")
            #expect(await eventually { work.inside == ["a1", "e2"] })
            work.leave("a1")
            #expect(await eventually { work.inside == ["e2"] && work.gate.heldBytes == 30 })
            work.leave("e2")
            #expect(await eventually { work.inside == ["b1"] })
            #expect(work.gate.heldBytes == 500)
            work.leave("b1")
        }
    }

    @Test("callers take turns: whoever wants much does not keep another waiting, and is not kept waiting for ever")
    func turns() async {
        await run(100) { work, group in
            group.addTask { await work.enter("e0", 50, of: "eve") }
            group.addTask { await work.enter("c0", 50, of: "cid") }
            #expect(await eventually { work.inside.count == 2 })
            for number in 1...20 {
                group.addTask { await work.enter("e\(number)", 50, of: "eve") }
            }
            #expect(await eventually { work.gate.waitingCount == 20 })
            group.addTask { await work.enter("a1", 90, of: "ada") }
            #expect(await eventually { work.gate.waitingCount == 21 })
            group.addTask { await work.enter("b1", 1, of: "ben") }
            #expect(await eventually { work.gate.waitingCount == 22 })
            // Eve has her half, Ada is next, and nobody takes what becomes free before there is enough for her.
            work.leave("c0")
            #expect(await eventually { work.gate.heldBytes == 50 })
            #expect(work.inside == ["e0"])
            work.leave("e0")
            #expect(await eventually { work.gate.heldBytes <= 91 && !work.inside.isEmpty })
            var left = Set((0...20).map { "e\($0)" } + ["a1", "b1"])
            left.remove("e0")
            var order: [String] = []
            while !left.isEmpty {
                #expect(await eventually { work.inside.contains { left.contains($0) } })
                for name in work.inside where left.remove(name) != nil {
                    order.append(name)
                    work.leave(name)
                }
            }
            #expect(order.prefix(4).contains("a1") && order.prefix(4).contains("b1"))
        }
    }
}
