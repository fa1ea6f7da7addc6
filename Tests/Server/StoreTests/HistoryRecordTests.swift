import CausewayFolders
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewaySeeds
import CausewayStorage
import CausewayStore
import Testing

@testable import CausewayStoreEmbedded

@Suite("Records of the history")
struct HistoryRecordTests {
    private static let seeds = SeedList.drawn(for: "history-records", count: 200)

    @Test("are what was written, read whole or entry by entry", arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let record = Self.record(&numbers)
        let bytes = record.encoded()
        #expect(try HistoryRecord(bytes).words == record.words)
        var reader = try RecordReader(bytes)
        var births = 0
        while try reader.nextBirth() != nil { births += 1 }
        #expect(births == record.births.count && reader.entriesLeft == record.entries.count)
        var (entry, names) = (RecordReader.Entry(), Set<[UInt8]>())
        while try reader.next(&entry) { names.insert(Array(bytes[entry.name])) }
        #expect(names.count == Set(record.entries.map(\.name)).count)
    }

    @Test("are refused when they end early", arguments: seeds.prefix(20))
    func cut(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let bytes = Self.record(&numbers).encoded()
        for count in bytes.indices {
            #expect(throws: EncodingError.self) { try HistoryRecord(Array(bytes.prefix(count))) }
        }
    }

    /// The form is written here as the earlier build wrote it.
    @Test("of an earlier build say the same", arguments: seeds)
    func earlier(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var record = Self.record(&numbers)
        for number in record.entries.indices { record.entries[number].smallImage = nil }
        #expect(try EarlierRecord.read(record.earlierBytes).words == record.words)
    }

    @Test("keep a small image with the values that it had, and no larger one")
    func smallImages() throws {
        let columns: ExactDictionary<Int> = ["count": 3, "name": 70, "none": 1]
        let stamp = Stamp(time: 5, client: Record.ann)
        let image = ObjectState(
            life: 3,
            fields: [
                .init("count", .int(-7), stamp: stamp), .init("name", .string("rex"), stamp: stamp),
                .init("none", .null, stamp: stamp, isDefault: true),
            ], born: stamp)
        let bytes = try #require(SmallImage.encoded(image, columns))
        #expect(bytes.count == 13)
        #expect(try SmallImage.life(bytes) == 3)
        let names = [3: "count", 70: "name", 1: "none"]
        let read = try SmallImage.decoded(bytes) { names[$0] }
        #expect(read.life == 3 && read["count"]?.value == .int(-7) && read["name"]?.value == .string("rex"))
        #expect(read["none"]?.value == .null && read.fields.count == 3)
        #expect(throws: EncodingError.self) { try SmallImage.decoded(bytes) { _ in nil } }
        let long = ObjectState(
            life: 1, fields: [.init("name", .string(String(repeating: "x", count: 61)), stamp: stamp)], born: stamp)
        #expect(SmallImage.encoded(long, columns) == nil)
        let unknown = ObjectState(life: 1, fields: [.init("other", .int(1), stamp: stamp)], born: stamp)
        #expect(SmallImage.encoded(unknown, columns) == nil)
    }

    @Test("number names in the order in which they come")
    func names() {
        var (places, known, numbers) = (NamePlaces(), [[UInt8]: Int](), SeededNumbers(seed: 17))
        for _ in 0..<20_000 {
            let name = numbers.bytes(numbers.below(3))
            let around = [1] + name + [2]
            let place = places.place(of: around, 1..<1 + name.count)
            if let before = known[name] {
                #expect(place == before)
            } else {
                #expect(place == known.count)
                known[name] = place
            }
        }
        #expect(known.count > 5_000)
    }

    // MARK: - Records

    private static func record(_ numbers: inout SeededNumbers) -> HistoryRecord {
        var record = HistoryRecord(client: ClientID(numbers.next()))
        (record.time, record.sizeBytes) = (numbers.next() >> 20, UInt64(numbers.below(1 << 30)))
        for _ in 0..<numbers.below(4) {
            let first = Int64(numbers.below(1 << 40))
            record.births.append(
                .init(
                    classNumber: numbers.below(300),
                    keys: ObjectKey(first)...ObjectKey(first + Int64(numbers.below(1_000)))))
        }
        for _ in 0..<numbers.below(6) {
            record.entries.append(
                .init(
                    name: name(&numbers), row: numbers.once(in: 3) ? nil : ObjectKey(Int64(numbers.below(1 << 30))),
                    before: numbers.one(of: [.absent, .unchanged, .image]), columns: columns(&numbers),
                    effective: numbers.once(in: 2), livesDiffer: numbers.once(in: 2),
                    root: numbers.once(in: 2) ? name(&numbers) : nil))
            let last = record.entries.count - 1
            if numbers.once(in: 2) {
                record.entries[last].edited.insert(numbers.below(90))
                record.entries[last].altered = columns(&numbers)
            }
            if numbers.once(in: 2) { record.entries[last].smallImage = numbers.bytes(numbers.below(64)) }
        }
        return record
    }

    private static func columns(_ numbers: inout SeededNumbers) -> PropertyNumbers {
        var columns = PropertyNumbers()
        for _ in 0..<numbers.below(4) { columns.insert(numbers.below(150)) }
        return columns
    }

    private static func name(_ numbers: inout SeededNumbers) -> ObjectName {
        let key: PrimaryKey =
            switch numbers.below(6) {
            case 0: .null
            case 1: .int(Int64(bitPattern: numbers.next()))
            case 2: .string(String(repeating: "é", count: numbers.below(40)))
            case 3: .objectId(ObjectIdentifier12(high: numbers.next(), low: 7))
            case 4: .uuid(UUID16(high: numbers.next(), low: numbers.next()))
            default: .container(ElementID(client: ClientID(numbers.next()), counter: numbers.next() >> 30))
            }
        return ObjectName(numbers.below(500), key)
    }
}

/// A file of an earlier build, which kept every image in the tree of images, goes on.
@Suite("A history that an earlier build wrote")
struct EarlierHistoryTests {
    @Test("is told as it would be in the new form, sound, and trimmed")
    func earlier() throws {
        let record = try Record(options: StoreEmbedded.Options(historyVersionsMax: 60, editedBytesMin: 1))
        try record.write(Record.ann, create(dog(1), ("name", .string("a"))), create(dog(2), ("name", .string("b"))))
        let start = record.store.version
        for number in 0..<20 as Range<Int64> {
            try record.write(
                number % 2 == 0 ? Record.ann : Record.bob, set(dog(1 + number % 3), "name", .string("\(number)")),
                set(dog(2), "age", .int(number)))
        }
        try record.write(Record.ann, .delete(dog(1), life: 2))
        let (expected, told) = (try Self.told(record, after: start), try Self.versions(record))
        #expect(told.contains { $0.contains("image") })
        let inTree = try record.count("server.images")
        try record.change(Self.makeEarlier)
        #expect(try record.count("server.images") > inTree + 20)
        #expect(try record.problems() == [])
        #expect(try Self.told(record, after: start) == expected)
        #expect(try Self.versions(record) == told)
        // It goes on in the new form, and the trees hold nothing of what is trimmed.
        for number in 0..<100 as Range<Int64> { try record.write(Record.ann, set(dog(2), "age", .int(number))) }
        #expect(try record.problems() == [])
        #expect(try record.count("server.history") == 60)
        #expect(try record.count("server.images") == 0)
    }

    @Test("of a form that is not known yet is refused, and not changed")
    func newer() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try StoreEmbedded.open(folder: path, epochSeed: 7).close()
        let file = try ObjectStore.open(path: path + "/" + StoreEmbedded.fileName)
        let transaction = try file.write()
        transaction.tree(Layout.meta).put(Array("form".utf8), Layout.bytes(Meta.formNewest + 1))
        _ = try transaction.commit(.durable)
        file.close()
        let failure = #expect(throws: StoreFailure.self) { try StoreEmbedded.open(folder: path, epochSeed: 8) }
        #expect(failure?.message.contains("Start the newer program") == true)
        let again = try ObjectStore.open(path: path + "/" + StoreEmbedded.fileName)
        defer { again.close() }
        let reading = try again.read()
        defer { reading.end() }
        #expect(Meta(in: reading).form == Meta.formNewest + 1)
    }

    /// What a device hears: each touched object with the values that it had.
    private static func told(_ record: Record, after start: ServerVersion) throws -> [String] {
        let snapshot = try record.store.snapshot()
        return try snapshot.history(after: start, for: Record.ann, .unhurried).touched.map { touched in
            let images = try touched.images.map { reference in
                let image = try snapshot.image(reference)
                let fields = try snapshot.imageFields(reference).fields.map { "\($0.property): \($0.value)" }
                #expect(try snapshot.life(in: reference) == image.life)
                return "\(reference) \(image.life) \(fields) \(image.parts.count)"
            }
            return
                "\(touched.name) \(touched.existed) \(touched.columns.words) \(touched.byOthers) \(touched.byClient) "
                + "\(touched.effective) \(images)"
        }
    }

    private static func versions(_ record: Record) throws -> [String] {
        let snapshot = try record.store.snapshot()
        return try (1...record.store.version.rawValue).compactMap { version in
            try snapshot.record(of: ServerVersion(version)).map { "\($0)" }
        }
    }

    private static func makeEarlier(_ transaction: Transaction) {
        let (history, images) = (transaction.tree(Layout.history), transaction.tree(Layout.images))
        let names = Record.schema.classes.first { $0.name == "Dog" }?.properties.map(\.name) ?? []
        var found: [(version: ServerVersion, record: HistoryRecord)] = []
        history.scan { key, value in
            if let version = Layout.versionOfRecord(key), let record = try? HistoryRecord(Array(value)) {
                found.append((version, record))
            }
            return true
        }
        for (version, record) in found {
            var record = record
            for number in record.entries.indices {
                guard let bytes = record.entries[number].smallImage,
                    let image = try? SmallImage.decoded(bytes, { names[$0] })
                else { continue }
                images.put(Layout.image(version, UInt32(number)), image.encoded())
                record.entries[number].smallImage = nil
            }
            history.remove(Layout.record(version))
            history.put(Layout.earlierRecord(version), record.earlierBytes)
        }
    }
}

extension HistoryRecord {
    /// All of it, to compare.
    fileprivate var words: String {
        "\(client) \(time) \(sizeBytes) \(births) "
            + entries.map { entry in
                "\(entry.name) \(entry.row.map { "\($0)" } ?? "-") \(entry.before) \(entry.columns.words) "
                    + "\(entry.effective) \(entry.livesDiffer) \(entry.root.map { "\($0)" } ?? "-") "
                    + "\(entry.edited.words) \(entry.edited.isEmpty ? [] : entry.altered.words) "
                    + "\(entry.smallImage ?? [0, 0, 0])"
            }
            .joined(separator: "; ")
    }

    /// What an earlier build wrote: the size in eight bytes, the time and the edits behind the entries, no small images.
    fileprivate var earlierBytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(fixed64: client.rawValue)
        writer.write(fixed64: sizeBytes)
        writer.write(varint: UInt64(births.count))
        for birth in births {
            writer.write(varint: UInt64(birth.classNumber))
            writer.write(signed: birth.keys.lowerBound.rawValue)
            writer.write(varint: UInt64(birth.keys.upperBound.rawValue - birth.keys.lowerBound.rawValue))
        }
        writer.write(varint: UInt64(entries.count))
        for entry in entries {
            let flags = entry.before.rawValue | (entry.effective ? 4 : 0) | (entry.row != nil ? 8 : 0)
            writer.write(byte: flags | (entry.root != nil ? 16 : 0) | (entry.livesDiffer ? 32 : 0))
            writer.write(varint: UInt64(entry.name.classNumber))
            writer.write(entry.name.key)
            if let row = entry.row { writer.write(signed: row.rawValue) }
            writer.writeWords(entry.columns)
            if let root = entry.root {
                writer.write(varint: UInt64(root.classNumber))
                writer.write(root.key)
            }
        }
        writer.write(varint: time)
        let edited = entries.indices.filter { !entries[$0].edited.isEmpty }
        if edited.isEmpty { return writer.bytes }
        writer.write(varint: UInt64(edited.count))
        for number in edited {
            writer.write(varint: UInt64(number))
            writer.writeWords(entries[number].edited)
            writer.writeWords(entries[number].altered)
        }
        return writer.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func writeWords(_ numbers: PropertyNumbers) {
        write(varint: UInt64(numbers.words.count))
        for word in numbers.words { write(varint: word) }
    }
}
