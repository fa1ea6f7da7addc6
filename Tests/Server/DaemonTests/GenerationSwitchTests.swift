import CausewayJournalPostgreSQL
import Testing

@testable import CausewayDaemon

@Suite("Switching a generation on")
struct GenerationSwitchTests {
    private func node(
        _ place: String, generation: UInt64, _ databases: [String] = ["fleet"], seen seconds: Int64 = 3
    ) -> NodeRegister.Known {
        let databases = Dictionary(uniqueKeysWithValues: databases.map { ($0, NodeRegister.Standing.notOpen) })
        return NodeRegister.Known(
            .init(node: place, place: place, program: "1", generation: generation, databases: databases),
            startedSecondsAgo: 60, seenSecondsAgo: seconds)
    }

    @Test("it waits for the nodes of the database that are there and older")
    func hindrance() {
        func hindrance(_ nodes: NodeRegister.Known...) -> String? {
            GenerationSwitch.hindrance(to: 2, of: "fleet", nodes)
        }
        #expect(hindrance() == nil)
        #expect(hindrance(node("a", generation: 2), node("b", generation: 3)) == nil)
        #expect(hindrance(node("a", generation: 2), node("gone", generation: 1, seen: 16)) == nil)
        #expect(hindrance(node("a", generation: 2), node("other", generation: 1, ["notes"])) == nil)
        let reason = hindrance(node("a", generation: 2), node("b", generation: 1), node("c", generation: 1)) ?? ""
        #expect(reason.contains("generation 2: b (generation 1), c (generation 1). Update"), "\(reason)")
        let many = GenerationSwitch.hindrance(to: 2, of: "fleet", (0..<12).map { node("n\($0)", generation: 1) })
        #expect(many?.contains("and 2 others") == true)
    }
}
