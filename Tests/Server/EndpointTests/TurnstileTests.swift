import Synchronization
import Testing

@testable import CausewayEndpoint

@Suite("A turnstile")
struct TurnstileTests {
    private final class Passed: Sendable {
        let callers = Mutex<[String]>([])
    }

    @Test("callers pass in turn: one with a hundred requests does not keep another's one waiting")
    func turns() async {
        let turnstile = Turnstile(places: 1)
        let passed = Passed()
        let (inside, entered) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await turnstile.pass(for: "first") {
                    entered.finish()
                    for await _ in gate {}
                }
            }
            for await _ in inside {}
            for (count, callers) in [(100, Array(repeating: "eve", count: 100)), (102, ["ada", "ben"])] {
                for caller in callers {
                    group.addTask {
                        await turnstile.pass(for: caller) { passed.callers.withLock { $0.append(caller) } }
                    }
                }
                #expect(await eventually { turnstile.waitingCount == count })
            }
            opener.finish()
        }
        let order = passed.callers.withLock { $0 }
        #expect(order.count == 102)
        #expect(Set(order.prefix(3)) == ["eve", "ada", "ben"])
        #expect(order.dropFirst(3).allSatisfy { $0 == "eve" })
    }
}
