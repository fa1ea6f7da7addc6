import CausewayJournalPostgreSQL
import CausewayPrograms
import Testing

@Suite("The register of nodes", .serialized)
struct NodeRegisterTests {
    private func saying(
        _ node: String, _ place: String, _ databases: [String: NodeRegister.Standing], generation: UInt64 = 1
    ) -> NodeRegister.Saying {
        NodeRegister.Saying(node: node, place: place, program: "1.2", generation: generation, databases: databases)
    }

    @Test("each node is there as it spoke last, by place, until it leaves or has been gone for a day")
    func nodes() throws {
        let bench = try JournalBench()
        let (register, other) = (NodeRegister(bench.settings), NodeRegister(bench.settings))
        #expect(try register.nodes().isEmpty)
        // Names are any texts, and numbers use all their bits.
        let odd = #"a "quoted", {curly} \ name, ünïcode"#
        try register.say(saying("one", "b:1", [odd: .at(7), "closed": .notOpen, "null": .at(3)]))
        try other.say(saying("two", "a:1", [:], generation: .max))
        try register.say(saying("one", "b:1", [odd: .at(.max), "closed": .notOpen]))
        let nodes = try other.nodes()
        #expect(nodes.map(\.saying.place) == ["a:1", "b:1"])
        #expect(nodes[0].saying.databases.isEmpty && nodes[0].saying.generation == .max)
        #expect(nodes[1].saying.databases == [odd: .at(.max), "closed": .notOpen])
        #expect(nodes.allSatisfy { $0.isHere && $0.saying.program == "1.2" && $0.startedSecondsAgo < 60 })

        _ = try bench.server.query("UPDATE causeway.node SET seen = seen - interval '16 seconds' WHERE node = 'two'")
        #expect(try register.nodes().map(\.isHere) == [false, true])
        _ = try bench.server.query("UPDATE causeway.node SET seen = seen - interval '1 day' WHERE node = 'two'")
        try register.say(saying("one", "b:1", [:]))
        #expect(try register.nodes().map(\.saying.node) == ["one"])
        try register.leave("one")
        #expect(try register.nodes().isEmpty)
    }

    @Test("while PostgreSQL is away, saying and asking fail, and go on afterwards")
    func away() throws {
        let bench = try JournalBench()
        let register = NodeRegister(bench.settings)
        try register.say(saying("one", "b:1", ["fleet": .at(1)]))
        bench.server.kill()
        #expect(throws: (any Error).self) { try register.say(saying("one", "b:1", ["fleet": .at(2)])) }
        #expect(throws: (any Error).self) { try register.nodes() }
        try bench.server.start()
        try register.say(saying("one", "b:1", ["fleet": .at(3)]))
        #expect(try register.nodes().first?.saying.databases == ["fleet": .at(3)])
    }
}
