import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore
import Testing

@testable import CausewayStoreEmbedded

/// The rules of `RecordCheck`: each is broken through the record's own trees, and found.
@Suite("The verification of a record")
struct RecordVerificationTests {
    /// A record with something in every tree.
    private func record(_ name: String = #function) throws -> Record {
        let record = try Record(name, options: StoreEmbedded.Options(historyVersionsMax: 40, editedBytesMin: 1))
        try record.addCounter("count", to: "Dog")
        let made = (1...20).map { create(dog(Int64($0)), ("name", .string("dog"))) }
        try record.commit(Record.ann, record.changeset(Record.ann, made))
        try record.write(Record.ann, set(dog(3), "name", .string("rex")))
        try record.write(Record.ann, .add(dog(3), property: "count", Addition(2, base: .zero)))
        try record.write(Record.ann, .delete(dog(4), life: 2))
        try record.write(Record.ann, set(dog(5), "home", .link(home(1).key)), create(home(1), ("city", .string("x"))))
        for number in 1...12 {
            let id = ElementID(client: Record.ann, counter: UInt64(number))
            try record.write(
                Record.ann, .list(dog(3), property: "toys", .insert(id, left: nil, right: nil, value: .string("t"))))
        }
        for number in 1...9 {
            let id = ElementID(client: Record.ann, counter: UInt64(number))
            try record.write(Record.ann, .list(dog(3), property: "toys", .delete(id)))
        }
        try record.write(Record.bob, set(dog(1_000), "name", .string("unknown")))
        try callsAndArrivals(in: record)
        return record
    }

    /// Receipts 1 to 3, three arrivals, and a position.
    private func callsAndArrivals(in record: Record) throws {
        try record.store.keepOneWayOrder()
        for number in 1...3 as ClosedRange<UInt64> {
            let reading = ObjectReference("Reading", .int(Int64(number)))
            _ = try record.backend.ingest(
                OneWayBatch(
                    client: Record.ann, user: "user", first: number,
                    entries: [[.create(reading, life: 1, fields: [])]]),
                receivedAt: record.time)
            let changeset = Changeset(
                client: Record.ann, sequence: 0, stamp: Stamp(time: .max, client: Record.ann),
                base: record.store.version, operations: [])
            let receipt = CallTerms.Receipt(key: CallKey(user: "user", key: "\(number)"), fingerprint: 1, answer: [])
            _ = try record.backend.commit(
                [
                    UploadBatch(
                        client: Record.ann, user: "user", changesets: [changeset], call: CallTerms(receipt: receipt))
                ],
                receivedAt: record.time)
        }
        try record.store.savePosition(Array("17".utf8), of: "webhook/h")
    }

    @Test("an arrival of an unknown class is an error for those who carry it on, and ends no server")
    func unknownClass() throws {
        let record = try record()
        try record.change { transaction in
            Self.changeFirst(Layout.arrivals, in: transaction) { _, value in value[2] = 9 }
        }
        let reopened = try record.reopen()
        try reopened.keepOneWayOrder()
        let reading = #expect(throws: StoreFailure.self) {
            try reopened.snapshot().arrivals(after: 0, countMax: 10)
        }
        #expect(reading?.message.contains("Restore the newest backup") == true)
        let due = DueArrivals(through: .max, ageMinMilliseconds: 0)
        #expect(throws: StoreFailure.self) {
            try reopened.removeOneWay(due, at: record.time + 10, after: 0, countMax: 10)
        }
    }

    private static func row(_ classNumber: UInt32, _ row: UInt64) -> [UInt8] {
        Layout.bytes(classNumber) + Layout.bytes(row)
    }

    @Test("a sound record has no problem, and something in every tree that is broken below")
    func sound() throws {
        let record = try record()
        #expect(try record.problems() == [])
        for tree in [
            "stamps", "births", "lists", "counters", "ends", "marks", "marked", "history", "images", "edits",
            "receipts",
            "arrivals", "arrived", "positions", "creators",
        ] {
            #expect(try record.count("server." + tree) > 0, "\(tree)")
        }
        #expect(try record.count("server.refusals") == 1)
    }

    struct Break: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the problem must say.
        var words: String
        var apply: @Sendable (Transaction) -> Void

        init(_ name: String, _ words: String, _ apply: @escaping @Sendable (Transaction) -> Void) {
            testDescription = name
            self.words = words
            self.apply = apply
        }
    }

    private static func first(_ tree: String, in transaction: Transaction) -> (key: [UInt8], value: [UInt8])? {
        var found: (key: [UInt8], value: [UInt8])?
        transaction.tree(tree).scan { key, value in
            found = (Array(key), Array(value))
            return false
        }
        return found
    }

    private static func changeFirst(
        _ tree: String, in transaction: Transaction, _ body: (inout [UInt8], inout [UInt8]) -> Void
    ) {
        guard let found = first(tree, in: transaction) else { return }
        var (key, value) = found
        transaction.tree(tree).remove(key)
        body(&key, &value)
        transaction.tree(tree).put(key, value)
    }

    private static func removeFirst(_ tree: String, in transaction: Transaction) {
        if let found = first(tree, in: transaction) { transaction.tree(tree).remove(found.key) }
    }

    /// Changes the first one.
    private static func changeSmallImage(in transaction: Transaction, _ body: ([UInt8]) -> [UInt8]?) {
        let tree = transaction.tree(Layout.history)
        var found: (key: [UInt8], record: HistoryRecord, entry: Int)?
        tree.scan { key, value in
            guard let record = try? HistoryRecord(Array(value)),
                let entry = record.entries.firstIndex(where: { $0.smallImage != nil })
            else { return true }
            found = (Array(key), record, entry)
            return false
        }
        guard var found, let image = found.record.entries[found.entry].smallImage else { return }
        found.record.entries[found.entry].smallImage = body(image)
        tree.put(found.key, found.record.encoded())
    }

    static let breaks: [Break] = [
        Break("a class loses its number", "has no number") { removeFirst(Layout.classes, in: $0) },
        Break("two classes share a number", "number of another class") { transaction in
            changeFirst(Layout.classes, in: transaction) { _, value in value[3] = value[3] == 1 ? 2 : 1 }
        },
        Break("a version is missing", "missing in the history") { transaction in
            transaction.tree(Layout.history).remove(Layout.record(ServerVersion(7)))
        },
        Break("the newest version is missing", "missing in the history") { transaction in
            let meta = Meta(in: transaction)
            transaction.tree(Layout.history).remove(Layout.record(meta.version))
        },
        Break("the newest version goes back", "not between its start and the newest") { transaction in
            var meta = Meta(in: transaction)
            meta.version = ServerVersion(meta.version.rawValue - 1)
            meta.save(in: transaction, isReplica: false)
        },
        Break("the size of the history is wrong", "and counts") { transaction in
            var meta = Meta(in: transaction)
            meta.historyBytes += 1
            meta.save(in: transaction, isReplica: false)
        },
        Break("the history begins after its end", "The history begins after") { transaction in
            var meta = Meta(in: transaction)
            meta.historyStart = ServerVersion(meta.version.rawValue + 1)
            meta.save(in: transaction, isReplica: false)
        },
        Break("a record of the history is damaged", "of the history cannot be read") { transaction in
            changeFirst(Layout.history, in: transaction) { _, value in value.removeLast(value.count - 3) }
        },
        Break("an image is missing", "is missing") { removeFirst(Layout.images, in: $0) },
        Break("an image belongs to nothing", "belongs to no entry") { transaction in
            changeFirst(Layout.images, in: transaction) { key, _ in key[11] = 99 }
        },
        Break("an image is damaged", "Image") { transaction in
            changeFirst(Layout.images, in: transaction) { _, value in value = [0xFF, 0xFF] }
        },
        Break("a small image is damaged", "cannot be read") { changeSmallImage(in: $0) { _ in [0xFF] } },
        Break("a small image names no property", "cannot be read") { transaction in
            changeSmallImage(in: transaction) { image in
                var image = image
                image[2] = 60
                return image
            }
        },
        Break("a small image is missing", "is missing") { changeSmallImage(in: $0) { _ in nil } },
        Break("edits are missing", "Edits of entry") { removeFirst(Layout.edits, in: $0) },
        Break("edits belong to nothing", "belong to no entry") { transaction in
            changeFirst(Layout.edits, in: transaction) { key, _ in key[15] = 60 }
        },
        Break("edits come after the newest version", "after the newest one") { transaction in
            transaction.tree(Layout.edits).put(Layout.bytes(UInt64(1) << 40), [])
        },
        Break("a row loses its stamps", "has no stamps") { removeFirst(Layout.births, in: $0) },
        Break("stamps are of no object", "is of no object") { transaction in
            changeFirst(Layout.stamps, in: transaction) { key, _ in key[10] = 77 }
        },
        Break("stamps are damaged", "cannot be read") { transaction in
            changeFirst(Layout.stamps, in: transaction) { _, value in value.removeLast() }
        },
        Break("stamps are of an ended life", "a life that has ended") { transaction in
            changeFirst(Layout.stamps, in: transaction) { _, value in value[0] = 2 }
        },
        Break("stamps name a version to come", "names version") { transaction in
            changeFirst(Layout.stamps, in: transaction) { _, value in value[1] = 0x7F }
        },
        Break("a run begins behind its end", "behind its end") { transaction in
            changeFirst(Layout.births, in: transaction) { _, value in
                var writer = ByteWriter()
                writer.write(fixed64: 1 << 20)
                value.replaceSubrange(0..<8, with: writer.bytes)
            }
        },
        Break("a run ends with no object", "begins or ends with row") { transaction in
            changeFirst(Layout.births, in: transaction) { key, _ in key[10] = 9 }
        },
        Break("a list shows something else", "does not show what is kept") { transaction in
            guard let table = transaction.table("Dog"), let row = table.key(for: .int(3)),
                let column = table.schema.index(of: "toys")
            else { return }
            table.listAppend(row, column, .string("smuggled"))
        },
        Break("a list has no ids", "Nothing is kept beside") { removeFirst(Layout.lists, in: $0) },
        Break("ids are damaged", "cannot be read") { transaction in
            changeFirst(Layout.lists, in: transaction) { _, value in value.removeLast() }
        },
        Break("ids are of a column that is no list", "is of no list, set, map or text") { transaction in
            changeFirst(Layout.lists, in: transaction) { key, _ in key[7] = 1 }
        },
        Break("a counter's record is of another column", "is of no counter") { transaction in
            changeFirst(Layout.counters, in: transaction) { key, _ in key[7] = 1 }
        },
        Break("a counter's record is damaged", "cannot be read") { transaction in
            changeFirst(Layout.counters, in: transaction) { _, value in value = [] }
        },
        Break("a tree names a class that is not there", "which no class has") { transaction in
            transaction.tree(Layout.stamps).put(row(4_000, 1), [1])
        },
        Break("a tombstone is of an object that is alive", "which is alive") { transaction in
            changeFirst(Layout.ends, in: transaction) { key, _ in key[key.count - 1] = 6 }
        },
        Break("a tombstone is of a life that has not ended", "has not ended") { transaction in
            changeFirst(Layout.ends, in: transaction) { _, value in value[0] = 3 }
        },
        Break("a mark is not noted", "is not noted") { removeFirst(Layout.marked, in: $0) },
        Break("a note has no mark", "noted as marked") { removeFirst(Layout.marks, in: $0) },
        Break("a client is damaged", "cannot be read") { transaction in
            changeFirst(Layout.clients, in: transaction) { _, value in value.removeLast(value.count - 1) }
        },
        Break("a refusal is of nobody", "which is not known") { transaction in
            changeFirst(Layout.refusals, in: transaction) { key, _ in key[0] = 9 }
        },
        Break("a refusal is of a changeset to come", "which has sent up to") { transaction in
            changeFirst(Layout.refusals, in: transaction) { key, _ in key[15] = 99 }
        },
        Break("a receipt is damaged", "A receipt of a call cannot be read") { transaction in
            changeFirst(Layout.receipts, in: transaction) { _, value in value = [] }
        },
        Break("a receipt is not in the order", "not in the order of receipts") { transaction in
            changeFirst(Layout.receiptOrder, in: transaction) { key, _ in key[7] = 99 }
        },
        Break("a receipt is missing", "Receipt 1 of a call is missing") { removeFirst(Layout.receipts, in: $0) },
        Break("a receipt is not in the order of numbers", "goes from number 1 to 3") { transaction in
            transaction.tree(Layout.receiptOrder).remove(Layout.bytes(UInt64(2)))
        },
        Break("an arrival is of a class that is not there", "which no class has") { transaction in
            changeFirst(Layout.arrivals, in: transaction) { _, value in value[2] = 9 }
        },
        Break("an arrival is of a class that is not one-way", "which is no one-way class") { transaction in
            guard let dogs = transaction.tree(Layout.classes).get(Array("Dog".utf8)) else { return }
            changeFirst(Layout.arrivals, in: transaction) { _, value in value.replaceSubrange(0..<4, with: dogs) }
        },
        Break("an arrival is damaged", "cannot be read") { transaction in
            changeFirst(Layout.arrivals, in: transaction) { _, value in value.removeLast() }
        },
        Break("an arrival is not noted at its object", "is not noted at its object") {
            removeFirst(Layout.arrived, in: $0)
        },
        Break("an object's arrival is missing", "which is missing") { removeFirst(Layout.arrivals, in: $0) },
        Break("an arrival is behind the newest one", "behind the newest one") { transaction in
            transaction.tree(Layout.meta).put(Array("arrivals".utf8), Layout.bytes(UInt64(1)))
        },
        Break("a position is no text", "The position of 'webhook/h' cannot be read") { transaction in
            changeFirst(Layout.positions, in: transaction) { _, value in value = [0xFF] }
        },
        Break("the objects of a user are miscounted", "objects are counted") { transaction in
            CreatorTree(in: transaction).add([ExactString("user"): 1])
        },
        Break("the runs of the server go back", "run of the server") { transaction in
            var writer = ByteWriter()
            writer.write(varint: 2)
            for (id, begin) in [(1, 5), (2, 3)] as [(UInt64, UInt64)] {
                writer.write(fixed64: id)
                writer.write(varint: begin)
            }
            transaction.tree(Layout.meta).put(Array("lineage".utf8), writer.bytes)
        },
    ]

    @Test("finds what contradicts, and says where", arguments: breaks)
    func found(broken: Break) throws {
        let record = try record(broken.testDescription)
        try record.change(broken.apply)
        let problems = try record.problems()
        #expect(problems.contains { $0.contains(broken.words) }, "\(problems)")
    }

    @Test("counts more than it tells")
    func bounded() throws {
        let record = try record()
        try record.change { transaction in
            for row in 0..<1_000 as Range<UInt64> {
                transaction.tree(Layout.stamps).put(Self.row(1, 1 << 30 + row), [1])
            }
        }
        let report = try record.report()
        #expect(report.problems.count == RecordReport.problemsMax)
        #expect(report.problemCount >= 1_000)
    }
}
