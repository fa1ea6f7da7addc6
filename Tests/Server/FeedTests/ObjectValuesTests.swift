import CausewayFeed
import CausewayModel
import CausewayQuery
import Testing

@Suite("Values of one object")
struct ObjectValuesTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Node", kind: .embedded,
            properties: [Property(name: "parts", type: .object, collection: .list, target: "Node")])
    ])

    /// Each level holds the next one, as many times as is asked.
    private struct Levels: RowSource {
        var level: Int64 = 0
        var times = 2
        /// Whether each link leads to an object of its own.
        var areMany = false

        func value(of property: Int, in className: String) -> Value { .null }

        func elements(of property: Int, in className: String) -> [Value] {
            (0..<times).map { .link(.int(areMany ? level * Int64(times) + Int64($0) + 1 : level + 1)) }
        }

        func object(at link: Value, in target: String) -> Levels? {
            guard case .link(.int(let number)) = link else { return nil }
            return Levels(level: number, times: times, areMany: areMany)
        }
    }

    private func embedded(_ values: ObjectValues) -> [ObjectValues] {
        guard case .list(let items)? = values.properties.first?.content else { return [] }
        return items.compactMap { item in
            if case .embedded(let child) = item { child } else { nil }
        }
    }

    @Test("a part that is held twice is there once, and null from then on")
    func twice() {
        var values = ObjectValues(of: Levels(), "Node", in: Self.schema)
        var depth = 0
        while let child = embedded(values).first {
            #expect(embedded(values).count == 1)
            values = child
            depth += 1
        }
        #expect(depth == ObjectValues.depthMax)
    }

    @Test("parts that come after too many values are null")
    func many() {
        func count(_ values: ObjectValues) -> Int { embedded(values).reduce(1) { $0 + count($1) } }
        let values = ObjectValues(of: Levels(times: 3, areMany: true), "Node", in: Self.schema)
        #expect(count(values) > 1_000)
        #expect(count(values) <= ObjectValues.itemsMax + 1)
    }
}
