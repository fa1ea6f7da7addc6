import Dispatch
import Testing

@testable import CausewaySession

@Suite("Whether threads answer")
struct PulseTests {
    @Test("a thread that is held up for longer than it may is noticed, and so is that it goes on")
    func heldUp() async throws {
        let threads = [StoreThread(label: "one"), StoreThread(label: "two")]
        let pulse = Pulse(threads)
        #expect(pulse.beats(at: 1_000, within: 100))
        for thread in threads { await thread.runFreely {} }
        #expect(pulse.beats(at: 2_000, within: 100))
        for thread in threads { await thread.runFreely {} }
        let gate = DispatchSemaphore(value: 0)
        threads[1].start { gate.wait() }
        #expect(pulse.beats(at: 3_000, within: 100))
        #expect(pulse.beats(at: 3_100, within: 100))
        #expect(!pulse.beats(at: 3_101, within: 100))
        // The other one answers meanwhile.
        await threads[0].runFreely {}
        #expect(!pulse.beats(at: 9_000, within: 100))
        gate.signal()
        for thread in threads { await thread.runFreely {} }
        #expect(pulse.beats(at: 10_000, within: 100))
    }
}
