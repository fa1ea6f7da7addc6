import CausewayJournalPostgreSQL
import Testing

@testable import CausewayDaemon

@Suite("Switching a generation on")
struct GenerationSwitchTests {
    private func node(_ place: String) -> NodeRegister.Known {
        NodeRegister.Known(
            .init(node: place, place: place, program: "1", generation: 1, databases: ["fleet": .notOpen]),
            seenSecondsAgo: 3)
    }

    @Test("it waits for nodes that are older, and names ten of them")
    func hindrance() {
        #expect(GenerationSwitch.hindrance(to: 2, by: []) == nil)
        let reason = GenerationSwitch.hindrance(to: 2, by: [node("b"), node("c")]) ?? ""
        #expect(reason.contains("generation 2: b (generation 1), c (generation 1). Update"), "\(reason)")
        let many = GenerationSwitch.hindrance(to: 2, by: (0..<12).map { node("n\($0)") })
        #expect(many?.contains("and 2 others") == true)
    }
}
