import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

/// Objects that are told as columns are told as they would be one by one.
@Suite struct RunTests {
    private let wanted = [
        QueryText(className: "Task", predicate: "TRUEPREDICATE"),
        QueryText(className: "Person", predicate: "TRUEPREDICATE"),
    ]

    private func told(_ view: View, bytesMax: Int) throws -> (states: [ObjectReference: ObjectState], runs: [ObjectRun])
    {
        let difference = try ViewDifference(
            view.record.snapshot(), from: .zero, held: [], wanted: wanted, for: ClientID(99))
        var states: [ObjectReference: ObjectState] = [:]
        var runs: [ObjectRun] = []
        while true {
            let part = try difference.next(bytesMax: bytesMax)
            for content in part.allEntered { states[content.object] = content.state }
            runs += part.enteredRuns
            if part.isLast { return (states, runs) }
        }
    }

    /// Some in every way in which an object can differ from its neighbours.
    private func view() throws -> View {
        let view = try View()
        try view.write(
            View.bob,
            (0..<40).map { make(ObjectReference("Person", .string("person \($0)")), ("name", .string("name"))) })
        for start in stride(from: Int64(1), to: 2_400, by: 800) {
            try view.write(
                View.bob,
                (start..<start + 800).map { id in
                    make(
                        task(id), ("title", .string(id % 2 == 0 ? "task" : "task \(id)")), ("done", .bool(id % 3 == 0)),
                        ("owner", id % 5 == 0 ? .null : .link(.string("person \(id % 40)"))))
                })
        }
        try view.write(View.ann, change(task(17), "title", .string("other")))
        try view.write(View.bob, .delete(task(18), life: 2))
        try view.write(
            View.bob, make(place(1), ("city", .string("Ulm"))), change(task(30), "place", .link(place(1).key)))
        try view.write(
            View.bob,
            .list(
                task(40), property: "labels",
                .insert(ElementID(client: View.bob, counter: 900), left: nil, right: nil, value: .string("red"))))
        return view
    }

    @Test("whatever the size of a part") func equal() throws {
        let view = try view()
        let single = try told(view, bytesMax: 1)
        #expect(single.runs.isEmpty)
        #expect(single.states.count == 2_399 + 40 + 1)
        for bytes in [10_000, 100_000, .max] {
            let whole = try told(view, bytesMax: bytes)
            #expect(whole.states == single.states)
            #expect(whole.runs.reduce(0) { $0 + $1.count } > 2_000)
        }
    }
}
