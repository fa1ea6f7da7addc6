import CausewayJournalPostgreSQL
import CausewayPrograms
import Testing

@Suite("The register of nodes", .serialized)
struct NodeRegisterTests {
    private func saying(
        _ node: String, _ place: String, _ databases: [String: NodeRegister.Standing], generation: UInt64 = 1
    ) -> NodeRegister.Saying {
        NodeRegister.Saying(
            node: node, place: place, program: "1.2", generation: generation, upSeconds: 90,
            databases: databases)
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
        #expect(nodes.allSatisfy { $0.isHere && $0.saying.program == "1.2" && $0.saying.upSeconds >= 90 })

        // Who knows no generation 2, of those that are here and have the database.
        #expect(try register.nodes(of: "closed", before: 2).map(\.saying.node) == ["one"])
        #expect(try register.nodes(of: "closed", before: 1).isEmpty)
        #expect(try register.nodes(of: "other", before: 2).isEmpty)

        // A node that is gone is behind those that are here, and says nothing of databases.
        _ = try bench.server.query("UPDATE causeway.node SET seen = seen - interval '16 seconds' WHERE node = 'one'")
        let one = try #require(try register.nodes().last)
        #expect(try register.nodes().map(\.isHere) == [true, false] && one.saying.node == "one")
        #expect(one.saying.databases.isEmpty)
        #expect(try register.nodes(of: "closed", before: 2).isEmpty)
        // Another process at its place follows it.
        try register.say(saying("one again", "b:1", ["closed": .at(9)]))
        #expect(try register.nodes().map(\.saying.node) == ["two", "one again"])
        _ = try bench.server.query("UPDATE causeway.node SET seen = seen - interval '1 day' WHERE node = 'two'")
        try register.say(saying("one again", "b:1", [:]))
        #expect(try register.nodes().map(\.saying.node) == ["one again"])
        try register.leave("one again")
        #expect(try register.nodes().isEmpty)
    }

    @Test("a thousand nodes that are gone hide none that is here, and rows that somebody wrote by hand break nothing")
    func crowd() throws {
        let bench = try JournalBench()
        let register = NodeRegister(bench.settings)
        _ = try bench.server.query(
            "INSERT INTO causeway.node SELECT 'gone ' || n, 'a:1', '1', 1, now(), now() - interval '1 minute', '{}' "
                + "FROM generate_series(1, 1200) AS n")
        _ = try bench.server.query("INSERT INTO causeway.node VALUES ('odd', 'a:2', '1', 1, now(), now(), '[1]')")
        try register.say(saying("here", "z:1", ["fleet": .at(1)]))
        let nodes = try register.nodes()
        #expect(nodes.count == 1_000 && nodes.prefix(2).map(\.saying.node) == ["odd", "here"])
        #expect(try register.nodes(of: "fleet", before: 2).map(\.saying.node) == ["here"])
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
