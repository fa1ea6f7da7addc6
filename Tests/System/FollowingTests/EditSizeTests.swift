import CausewayFollowers
import CausewayModel
import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// What one change of a large collection or text takes on the wire.
@Suite("The size of a change")
struct EditSizeTests {
    private let record: StoreEmbedded
    private let writer: Follower
    private let reader: Follower
    /// Speaks a version of the protocol in which everything is told whole.
    private let older: Follower

    init() throws {
        record = try Follower.record()
        writer = try Follower(1)
        reader = try Follower(2)
        older = try Follower(3)
        for device in [writer, reader, older] { _ = try record.register(device.client, user: "u") }
    }

    /// - Returns: the bytes that a device is sent of the change, whole and as what happened.
    private func bytes(
        _ fill: @escaping (Table, ObjectKey) -> Void, _ change: @escaping (Table, ObjectKey) -> Void
    ) throws -> (whole: Int, change: Int) {
        try writer.write(at: 1_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try notes.create(.int(1))
            fill(notes, key)
        }
        try writer.upload(to: record, at: 1_001)
        try writer.download(from: record)
        try reader.download(from: record)
        try older.download(from: record, tellsEdits: false)
        try writer.write(at: 2_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            change(notes, try #require(notes.key(for: .int(1))))
        }
        try writer.upload(to: record, at: 2_001)
        try writer.download(from: record)
        try reader.download(from: record)
        try older.download(from: record, tellsEdits: false)
        for device in [writer, reader, older] { #expect(try device.disagreement(with: record) == nil) }
        return (older.bytes, reader.bytes)
    }

    @Test("one insert into a list", arguments: [100, 20_000])
    func list(count: Int) throws {
        let sizes = try bytes {
            $0.listReplace(
                $1, Follower.Column.items, (0..<count).map { .int(Int64((UInt64($0) &* 0x9E37_79B9_7F4A_7C15) >> 40)) })
        } _: {
            $0.listInsert($1, Follower.Column.items, count / 2, .int(-1))
        }
        #expect(sizes.change <= 300, "\(sizes)")
        #expect(try reader.shown(Follower.Column.items, of: 1) == writer.shown(Follower.Column.items, of: 1))
        #expect(try reader.shown(Follower.Column.items, of: 1).count == count + 1)
        print("on the wire: one insert into a list of \(count): \(sizes.change) bytes, whole \(sizes.whole)")
    }

    /// 20,000 numbers take some 60 KB whole, and the changes less.
    @Test("as many inserts as a part is told, and one more", arguments: [4_000, 4_097])
    func manyInserts(count: Int) throws {
        let sizes = try bytes {
            $0.listReplace(
                $1, Follower.Column.items,
                (0..<20_000).map { .int(Int64((UInt64($0) &* 0x9E37_79B9_7F4A_7C15) >> 40)) })
        } _: {
            for number in 0..<count { $0.listInsert($1, Follower.Column.items, number, .int(-1)) }
        }
        // Above the bound the part goes whole, so both ways are the same.
        #expect(count > 4_096 ? sizes.change == sizes.whole : sizes.change < sizes.whole / 2, "\(sizes)")
        #expect(try reader.shown(Follower.Column.items, of: 1) == writer.shown(Follower.Column.items, of: 1))
    }

    @Test("one key of a set", arguments: [100, 20_000])
    func set(count: Int) throws {
        let sizes = try bytes {
            $0.setReplace($1, Follower.Column.marks, (0..<count).map { .double(Double($0) / 3) })
        } _: {
            $0.setInsert($1, Follower.Column.marks, .double(-1))
        }
        #expect(sizes.change <= 300, "\(sizes)")
        #expect(try reader.shown(Follower.Column.marks, of: 1).count == count + 1)
        print("on the wire: one element into a set of \(count): \(sizes.change) bytes, whole \(sizes.whole)")
    }

    @Test("one key of a map", arguments: [100, 20_000])
    func map(count: Int) throws {
        let sizes = try bytes {
            $0.mapReplace($1, Follower.Column.scores, (0..<count).map { ("key \($0)", .int(Int64($0))) })
        } _: {
            $0.mapPut($1, Follower.Column.scores, "another", .int(-1))
        }
        #expect(sizes.change <= 300, "\(sizes)")
        #expect(try reader.shown(Follower.Column.scores, of: 1).count == 2 * (count + 1))
        print("on the wire: one key into a map of \(count): \(sizes.change) bytes, whole \(sizes.whole)")
    }

    @Test("one keystroke in a text", arguments: [1_000, 100_000])
    func text(count: Int) throws {
        let body = String(String(repeating: "All human beings are born free. ", count: count / 32 + 1).prefix(count))
        let typed = body.prefix(count / 2) + "é" + body.dropFirst(count / 2)
        let sizes = try bytes {
            $0.set($1, Follower.Column.body, .string(body))
        } _: {
            $0.set($1, Follower.Column.body, .string(String(typed)))
        }
        #expect(sizes.change <= 300, "\(sizes)")
        #expect(try reader.shown(Follower.Column.body, of: 1) == [.string(String(typed))])
        print("on the wire: one keystroke in a text of \(count): \(sizes.change) bytes, whole \(sizes.whole)")
    }

    @Test("a small list is told whole, and so is every list to a device of protocol version 1")
    func whole() throws {
        _ = try bytes {
            $0.listReplace($1, Follower.Column.items, [.int(1), .int(2)])
        } _: {
            $0.listInsert($1, Follower.Column.items, 1, .int(-1))
        }
        #expect(reader.told == (0, 1))
        try writer.write(at: 3_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try #require(notes.key(for: .int(1)))
            notes.listReplace(key, Follower.Column.items, (0..<1_000).map { .int(Int64($0)) })
        }
        try writer.upload(to: record, at: 3_001)
        try reader.download(from: record)
        #expect(reader.told == (0, 2))
        try writer.write(at: 4_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            notes.listInsert(try #require(notes.key(for: .int(1))), Follower.Column.items, 500, .int(-1))
        }
        try writer.upload(to: record, at: 4_001)
        try reader.download(from: record, tellsEdits: false)
        #expect(reader.told == (0, 3))
        #expect(try reader.disagreement(with: record) == nil)
    }
}
