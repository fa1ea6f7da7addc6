import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Creates that arrive in columns come to what they would come to one by one.
@Suite("Objects created in columns", .everyBackend)
struct CreationRunTests {
    private static let seeds = SeedList.drawn(for: "creation-runs", count: 15)

    /// Everything a device could be told, and what was refused.
    private struct Told: Hashable {
        var objects: [ObjectContent] = []
        var ends: [PrimaryKey: UInt32] = [:]
        var born: Set<PrimaryKey> = []
        var touched: Set<ObjectName> = []
        var refusals: [Refusal] = []
    }

    private func told(_ record: Record) throws -> Told {
        let snapshot = try record.store.snapshot()
        var told = Told()
        for name in ["Dog", "Home", "Room"] {
            let number = try #require(snapshot.classNumber(name))
            let keys = try snapshot.keys(number, matching: .constant(true))
            try snapshot.appendWhole(number, keys[...], to: &told.objects)
            for id in 0..<24 as Range<Int64> where name == "Dog" {
                told.ends[.int(id)] = try snapshot.endedLife(ObjectName(number, .int(id)))
            }
        }
        told.objects = Array(Set(told.objects)).sorted {
            ($0.object.className, $0.object.key) < ($1.object.className, $1.object.key)
        }
        let history = try snapshot.history(after: .zero, for: Record.bob)
        told.touched = Set(history.touched.map(\.name))
        for births in history.births {
            for key in births.keys.lowerBound.rawValue...births.keys.upperBound.rawValue {
                if let name = snapshot.name(of: Row(births.classNumber, ObjectKey(key))) { told.born.insert(name.key) }
            }
        }
        told.refusals = try record.refusals(Record.ann)
        return told
    }

    /// Dogs, most of them alike, some of which are there already, end later, link to each other or do not fit.
    private func operations(_ drawing: inout Drawing) -> [Operation] {
        var operations: [Operation] = []
        for _ in 0..<drawing.below(3) {
            let hasAge = drawing.below(2) == 0
            let life: UInt32 = drawing.below(8) == 0 ? 3 : 1
            for _ in 0..<drawing.below(7) {
                var fields = [FieldValue("name", .string("dog \(drawing.below(3))"))]
                if hasAge {
                    fields.append(FieldValue("age", drawing.pick([.null, .int(1), .int(2)]), isDefault: true))
                }
                let friend: Value = drawing.below(3) == 0 ? .null : .link(.int(Int64(drawing.below(24))))
                fields.append(FieldValue("friend", drawing.below(40) == 0 ? .string("none") : friend))
                if drawing.below(40) == 0 { fields.append(FieldValue("name", .string("twice"))) }
                operations.append(.create(dog(Int64(drawing.below(24))), life: life, fields: fields))
            }
        }
        for _ in 0..<drawing.below(4) {
            let operation = drawing.operation()
            if travels(operation) { operations.append(operation) }
        }
        return operations
    }

    /// Lives beyond all bounds are refused on the way.
    private func travels(_ operation: Operation) -> Bool {
        switch operation {
        case .create(_, let life, _), .delete(_, let life): life <= Operation.lifeMax
        default: true
        }
    }

    @Test("whatever a changeset holds, its creates in columns and one by one come to the same")
    func sameOutcome() throws {
        var runs = 0
        let rules = Permissions(
            AccessRules(byClass: [
                "Dog": AccessRules.OfClass(
                    read: .always, create: .when(try Predicate.parse("name != 'dog 1'")), write: .always,
                    delete: .always)
            ]))
        for seed in Self.seeds {
            var drawing = Drawing(seed: seed)
            let records = [try Record("singles \(seed)"), try Record("runs \(seed)")]
            for _ in 0..<6 {
                let drawn = operations(&drawing)
                let permissions = drawing.below(6) == 0 ? rules : nil
                for (index, record) in records.enumerated() {
                    let singles = record.changeset(Record.ann, drawn)
                    let inColumns = try Changeset.decode(Changeset.encode([singles]))[0]
                    #expect(Changeset.encode([inColumns]) == Changeset.encode([singles]), "seed \(seed)")
                    if index == 1 { runs += inColumns.creations.count }
                    record.time += 1
                    _ = try record.backend.commit(
                        [
                            UploadBatch(
                                client: Record.ann, user: "user", permissions: permissions,
                                changesets: [index == 0 ? singles : inColumns])
                        ], receivedAt: record.time)
                }
                let outcomes = try records.map(told)
                #expect(outcomes[0] == outcomes[1], "seed \(seed): \(drawn)")
            }
        }
        // There are some to compare: of each seed one, taken together.
        #expect(runs >= Self.seeds.count)
    }

    @Test("many new objects go into the tables in columns, over ghosts too, and what follows them finds them")
    func manyAtOnce() throws {
        let record = try Record()
        try record.write(Record.bob, create(dog(5_000), ("friend", .link(.int(70)))))
        let creates = (1...3_000 as ClosedRange<Int64>).map { id in
            create(dog(id), ("name", .string("dog \(id % 5)")), ("friend", id % 2 == 0 ? .null : .link(.int(id + 1))))
        }
        let changeset = record.changeset(
            Record.ann, creates + [set(dog(9), "age", .int(4)), .delete(dog(10), life: 2)])
        try record.commit(Record.ann, Changeset.decode(Changeset.encode([changeset]))[0])
        #expect(try record.refusals(Record.ann) == [])
        #expect(try record.dog(5_000)?["friend"] == .link(.int(70)))
        #expect(try record.dog(70)?["name"] == .string("dog 0"))
        #expect(try record.dog(2_999)?["friend"] == .link(.int(3_000)))
        #expect(try record.dog(9)?["age"] == .int(4) && record.dog(10) == nil)
        // Sent again under another number, they are there already: nothing is doubled, and the one that ended is back.
        let again = record.changeset(Record.ann, creates)
        try record.commit(Record.ann, Changeset.decode(Changeset.encode([again]))[0])
        let snapshot = try record.store.snapshot()
        let number = try #require(snapshot.classNumber("Dog"))
        #expect(try snapshot.keys(number, matching: .constant(true)).count == 3_001)
    }
}
