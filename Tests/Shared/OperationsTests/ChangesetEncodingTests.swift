import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

@Suite struct ChangesetEncodingTests {
    private static let seeds = SeedList.drawn(for: "changesets", count: 500)
    private static let damagedSeeds = SeedList.drawn(for: "damaged-changesets", count: 400)
    private static let cutSeeds = SeedList.drawn(for: "cut-changesets", count: 60)

    @Test("what is written is read, whatever the operations are")
    func roundTrips() throws {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let changesets = (0..<Int.random(in: 0...4, using: &random)).map {
                Sample.changeset(UInt64($0 + 1), Sample.operations(&random))
            }
            let bytes = Changeset.encode(changesets)
            let decoded = try Changeset.decode(bytes)
            #expect(decoded == changesets, "seed \(seed)")
            #expect(Changeset.encode(decoded) == bytes, "seed \(seed): other bytes the second time")
        }
    }

    @Test("creates before all else are read in columns, and are the same operations whether they stand so or not")
    func creationsInColumns() throws {
        func note(_ id: Int64) -> Operation {
            let fields = [
                FieldValue("a", id % 3 == 0 ? .null : .int(id)), FieldValue("b", .string("x"), isDefault: true),
            ]
            return .create(ObjectReference("Note", .int(id)), life: 1, fields: fields)
        }
        let first = (0..<40_000).map { note($0) }
        let end = Operation.delete(ObjectReference("Note", .int(3)), life: 2)
        let changeset = Sample.changeset(1, first + [end, note(50_000)])
        let decoded = try #require(try Changeset.decode(Changeset.encode([changeset])).first)
        #expect(decoded.creations.map(\.count) == [CreationRun.mostCount, CreationRun.mostCount, 7_232])
        #expect(decoded.others == [end, note(50_000)])
        #expect(decoded == changeset && Set([decoded, changeset]).count == 1)
        #expect(decoded.operations(behindRuns: 2).count == 7_234)
        #expect(Changeset.encode([decoded]) == Changeset.encode([changeset]))
        var changed = decoded
        changed.operations.removeLast()
        #expect(changed.creations.isEmpty && changed.operations == first + [end] && changed != decoded)
    }

    @Test("every kind of value comes back with the same bits, alone and in columns")
    func values() throws {
        for first in Sample.values {
            for second in Sample.values {
                for pattern in [[first], [first, second], [first, first, second, second, first]] {
                    var writer = ByteWriter()
                    writer.write(column: pattern)
                    for value in pattern { writer.write(value) }
                    var reader = ByteReader(writer.bytes)
                    let column = try reader.readColumn(count: pattern.count)
                    #expect(column.map(bits) == pattern.map(bits), "\(pattern)")
                    for value in pattern { #expect(try bits(reader.readValue()) == bits(value)) }
                    try reader.finish()
                }
            }
        }
    }

    /// Equality that tells -0 from 0 and two spellings of é apart, as a reader of the bytes would.
    private func bits(_ value: Value) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(value)
        return writer.bytes
    }

    @Test("NaN survives, and one travels for all, bit by bit", arguments: [false, true])
    func notANumber(isPlain: Bool) throws {
        let fields = [
            FieldValue("a", .double(isPlain ? .nan : -Double(nan: 5, signaling: false))),
            FieldValue("b", .float(isPlain ? .nan : -Float(nan: 5, signaling: false))),
        ]
        let operations = (0..<3).map {
            Operation.create(ObjectReference("Note", .int($0)), life: 1, fields: fields)
        }
        let decoded = try Changeset.decode(Changeset.encode([Sample.changeset(1, operations)]))
        guard case .create(_, _, let read) = decoded[0].operations[2], case .double(let double) = read[0].value,
            case .float(let float) = read[1].value
        else {
            Issue.record("the create is not read as one")
            return
        }
        #expect(double.bitPattern == 0x7FF8_0000_0000_0000 && float.bitPattern == 0x7FC0_0000)
    }

    @Test("what was last seen earlier is written with its runs of the server, and read in their order only")
    func lastSeenInRuns() throws {
        func note(_ id: Int64) -> ObjectReference { ObjectReference("Note", .int(id)) }
        var changeset = Sample.changeset(1, [.delete(note(1), life: 2)])
        for (id, version, run) in [(1, 9, 8), (2, 7, nil), (3, 5, 4), (4, 6, 8), (5, 8, nil)]
            as [(Int64, UInt64, UInt64?)]
        {
            changeset.lastSeen.note(note(id), seen: ServerVersion(version), of: run)
        }
        #expect(
            changeset.lastSeen == [
                Changeset.LastSeen(ServerVersion(7), [note(2), note(5)]),
                Changeset.LastSeen(ServerVersion(5), of: 4, [note(3)]),
                Changeset.LastSeen(ServerVersion(6), of: 8, [note(1), note(4)]),
            ])
        #expect(try Changeset.decode(Changeset.encode([changeset])) == [changeset])
        // The run of the base is named by an older version of the encoding.
        #expect(Changeset.encode([changeset]).first == Changeset.encodingVersion)
        changeset.lastSeen.removeLast(2)
        #expect(Changeset.encode([changeset]).first == 4)
        changeset.lastSeen = []
        #expect(Changeset.encode([changeset]).first == 1)
        for runs in [[8, 4], [4, nil], [4, 4], [nil, nil]] as [[UInt64?]] {
            changeset.lastSeen = runs.map { Changeset.LastSeen(ServerVersion(3), of: $0, [note(1)]) }
            #expect(throws: EncodingError.self, "\(runs)") { try Changeset.decode(Changeset.encode([changeset])) }
        }
    }

    @Test("cut bytes are refused at every length")
    func truncation() {
        for seed in Self.cutSeeds {
            var random = SeededNumbers(seed: seed)
            let bytes = Changeset.encode([Sample.changeset(1, Sample.operations(&random))])
            for length in bytes.indices {
                #expect(throws: EncodingError.self, "seed \(seed), cut to \(length)") {
                    try Changeset.decode(Array(bytes.prefix(length)))
                }
            }
            #expect(throws: EncodingError.self) { try Changeset.decode(bytes + [0]) }
        }
    }

    @Test("damaged bytes are refused or read as something, and never take memory out of proportion")
    func damage() {
        for seed in Self.damagedSeeds {
            var random = SeededNumbers(seed: seed)
            let bytes = Changeset.encode([Sample.changeset(1, Sample.operations(&random))])
            for _ in 0..<80 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    damaged[.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                guard let changesets = try? Changeset.decode(damaged) else { continue }
                let cells = changesets.flatMap(\.operations).reduce(0) { total, operation in
                    if case .create(_, _, let fields) = operation { total + fields.count + 1 } else { total + 1 }
                }
                #expect(cells <= 2 * damaged.count, "seed \(seed)")
            }
        }
    }

    @Test("a point in time with more than a second of nanoseconds is refused, up to the largest and least number")
    func nanoseconds() throws {
        func read(_ seconds: Int64, _ nanoseconds: Int64) throws -> Value {
            var writer = ByteWriter()
            writer.write(.timestamp(Timestamp(seconds: 0, nanoseconds: 0)))
            // The tag stays, and other numbers stand behind it.
            writer.bytes.removeLast(writer.bytes.count - 1)
            writer.write(signed: seconds)
            writer.write(signed: nanoseconds)
            var reader = ByteReader(writer.bytes)
            return try reader.readValue()
        }
        for nanoseconds in [1_000_000_000, -1_000_000_000, .max, .min, .min + 1] as [Int64] {
            for seconds in [0, 1, -1] as [Int64] {
                #expect(throws: EncodingError.self) { try read(seconds, nanoseconds) }
            }
        }
        #expect(try read(1, 999_999_999) == .timestamp(Timestamp(seconds: 1, nanoseconds: 999_999_999)))
        #expect(try read(-1, -999_999_999) == .timestamp(Timestamp(seconds: -1, nanoseconds: -999_999_999)))
        #expect(try read(.min, -1) == .timestamp(Timestamp(seconds: .min, nanoseconds: -1)))
        #expect(throws: EncodingError.self) { try read(1, -1) }
    }

    @Test("a short message that promises many objects is refused before memory is taken for them")
    func amplification() {
        // A run of creates whose columns are all one value, with a row count that its length does not carry.
        let fields = (0..<20).map { FieldValue("p\($0)", .null) }
        let operations = (0..<1000).map {
            Operation.create(ObjectReference("Note", .int($0)), life: 1, fields: fields)
        }
        let bytes = Changeset.encode([Sample.changeset(1, operations)])
        #expect(bytes.count * 2 >= 1000 * 21)
        var writer = ByteWriter()
        writer.write(varint: 1000)
        let rowCount = writer.bytes
        writer = ByteWriter()
        writer.write(varint: 16_000)
        let more = writer.bytes
        let place = bytes.indices.first { Array(bytes[$0...].prefix(rowCount.count)) == rowCount }!
        let altered = Array(bytes[..<place]) + more + Array(bytes[(place + rowCount.count)...])
        #expect(throws: EncodingError.self) { try Changeset.decode(altered) }
    }

    @Test("a reader takes no more operations than it is told to, of whatever kind, and says so")
    func weight() throws {
        let object = ObjectReference("Note", .int(1))
        let kinds: [[Operation]] = [
            (0..<1000).map { .delete(ObjectReference("Note", .int($0)), life: 2) },
            (0..<1000).map { .set(ObjectReference("Note", .int($0)), FieldValue("a", .null)) },
            (0..<1000).map { .add(ObjectReference("Note", .int($0)), property: "n", Addition(1)) },
            (0..<1000).map { .keyed(object, property: "s", .put(key: .int($0), value: .null)) },
            (0..<1000).map { .list(object, property: "l", .delete(ElementID(client: ClientID(1), counter: $0))) },
            (0..<1000).map {
                .text(object, property: "t", .delete(ElementID(client: ClientID(1), counter: $0), count: 1))
            },
        ]
        for operations in kinds {
            let bytes = Changeset.encode([Sample.changeset(1, operations)])
            #expect(try Changeset.decode(bytes, weightMax: 5000)[0].operations.count == 1000)
            #expect { try Changeset.decode(bytes, weightMax: 3999) } throws: { error in
                (error as? EncodingError)?.code == .tooMuch && "\(error)".contains("several transactions")
            }
        }
        let fields = (0..<16).map { FieldValue("p\($0)", .null) }
        let creations = (0..<1000).map { Operation.create(ObjectReference("Note", .int($0)), life: 1, fields: fields) }
        let bytes = Changeset.encode([Sample.changeset(1, creations)])
        #expect(try Changeset.decode(bytes, weightMax: 36_000)[0].operations.count == 1000)
        #expect { try Changeset.decode(bytes, weightMax: 35_999) } throws: { ($0 as? EncodingError)?.code == .tooMuch }
    }

    @Test("an unknown version of the encoding is named")
    func version() {
        var bytes = Changeset.encode([])
        bytes[0] = 9
        #expect { try Changeset.decode(bytes) } throws: { ($0 as? EncodingError)?.code == .unsupportedVersion }
    }

    @Test("numbers have one form, and counts are bounded by what follows")
    func numbers() throws {
        for value in [0, 1, 127, 128, 16_383, 16_384, UInt64(UInt32.max), .max] as [UInt64] {
            var writer = ByteWriter()
            writer.write(varint: value)
            writer.write(signed: Int64(bitPattern: value))
            var reader = ByteReader(writer.bytes)
            #expect(try reader.readVarint() == value)
            #expect(try reader.readSigned() == Int64(bitPattern: value))
        }
        for bytes in [[0x80, 0], [0xFF, 0x80, 0], Array(repeating: 0xFF, count: 11), [0x80]] as [[UInt8]] {
            var reader = ByteReader(bytes)
            #expect(throws: EncodingError.self) { try reader.readVarint() }
        }
        var reader = ByteReader([200, 1, 0, 0])
        #expect(throws: EncodingError.self) { try reader.readCount(minimumBytesEach: 1) }
    }

    @Test("an object of nineteen properties takes about forty bytes, and a hundred thousand little time")
    func size() throws {
        var random = SeededNumbers(seed: 1)
        let operations = (0..<20_000).map { Sample.flight($0, &random) }
        let changesets = [Sample.changeset(1, operations)]
        let bytes = Changeset.encode(changesets)
        #expect(bytes.count < 20_000 * 45, "\(bytes.count / 20_000) bytes an object")
        #expect(try Changeset.decode(bytes) == changesets)
    }
}
