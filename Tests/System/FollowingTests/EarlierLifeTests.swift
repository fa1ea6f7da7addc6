import CausewayFollowers
import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Writes that are older than the life that their device was told of (RULES.md, O7).
@Suite("Writes that may mean an earlier life")
struct EarlierLifeTests {
    private let record: StoreEmbedded
    private let (writer, first, second): (Follower, Follower, Follower)

    init() throws {
        record = try Follower.record()
        (writer, first, second) = (try Follower(1), try Follower(2), try Follower(3))
        for device in [writer, first, second] { _ = try record.register(device.client, user: "u") }
        try begin(first, at: 1_000)
        for device in [writer, second] { try device.download(from: record) }
        try first.download(from: record)
        // Offline from here on.
        try writer.write(at: 3_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try #require(notes.key(for: .int(1)))
            notes.mapPut(key, Follower.Column.scores, "mine", .int(1))
            notes.set(key, Follower.Column.title, .string("mine"))
            notes.edit(key, text: Follower.Column.body, .insert("mine", at: 0))
        }
    }

    /// Makes the note, after deleting the one that is there.
    private func begin(_ device: Follower, at time: UInt64) throws {
        try device.write(at: time) { transaction in
            let notes = try #require(transaction.table("Note"))
            if let key = notes.key(for: .int(1)) { notes.delete(key) }
        }
        try device.write(at: time + 1) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try notes.create(.int(1))
            notes.mapReplace(key, Follower.Column.scores, (0..<50).map { ("key \($0)", .int(Int64(time))) })
            notes.edit(key, text: Follower.Column.body, .insert(String(repeating: "there", count: 50), at: 0))
        }
        try device.upload(to: record, at: time + 2)
    }

    private var keys: Int { get throws { try writer.shown(Follower.Column.scores, of: 1).count / 2 } }

    @Test("one that belongs to a life whose beginning another device moved back stays on the device that made it")
    func movedBack() throws {
        try begin(second, at: 2_000_000)
        try writer.download(from: record)
        #expect(try keys == 50, "what was written to an earlier life shows in the later one")
        try first.write(at: 2_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            notes.delete(try #require(notes.key(for: .int(1))))
        }
        try first.write(at: 2_001) { _ = try #require($0.table("Note")).create(.int(1)) }
        try first.upload(to: record, at: 2_000_010)
        try writer.upload(to: record, at: 2_000_020)
        for device in [writer, first, second] {
            try device.download(from: record)
            #expect(try device.disagreement(with: record) == nil)
            #expect(try device.shown(Follower.Column.scores, of: 1).contains(.string("mine")))
        }
    }

    @Test("one that was meant for an earlier life goes when the server says so, and nothing of the later life with it")
    func earlier() throws {
        try begin(second, at: 2_000_000)
        try writer.download(from: record)
        try writer.upload(to: record, at: 2_000_020)
        for device in [writer, first, second] {
            try device.download(from: record)
            #expect(try device.disagreement(with: record) == nil)
            #expect(try device.shown(Follower.Column.scores, of: 1).contains(.string("mine")) == false)
        }
        #expect(try keys == 50)
    }
}
