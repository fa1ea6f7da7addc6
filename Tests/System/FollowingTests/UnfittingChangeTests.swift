import CausewayFollowers
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What does not fit")
struct UnfittingChangeTests {
    @Test("nothing is applied of a change that names what is not here; compared, the device has all of it again")
    func unfitting() throws {
        let record = try Follower.record()
        let (writer, reader) = (try Follower(1), try Follower(2))
        for device in [writer, reader] { _ = try record.register(device.client, user: "u") }
        try writer.write(at: 1_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try notes.create(.int(1))
            notes.listReplace(key, Follower.Column.items, (0..<500).map { .int(Int64($0)) })
        }
        try writer.upload(to: record, at: 1_001)
        for device in [writer, reader] { try device.download(from: record) }
        // As if the bookkeeping of the list had been lost.
        try reader.tamper { transaction in transaction.tree("sync.lists").removeRange() }
        try writer.write(at: 2_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try #require(notes.key(for: .int(1)))
            notes.set(key, Follower.Column.title, .string("later"))
            notes.listInsert(key, Follower.Column.items, 250, .int(-1))
        }
        try writer.upload(to: record, at: 2_001)
        #expect { try reader.download(from: record) } throws: { error in
            (error as? UnfittingChange)?.property == "items"
        }
        #expect(try reader.shown(Follower.Column.title, of: 1) == [.string("")])
        #expect(try reader.shown(Follower.Column.items, of: 1).count == 500)
        try reader.downloadCompared(from: record)
        #expect(try reader.disagreement(with: record) == nil)
        #expect(try reader.shown(Follower.Column.items, of: 1).count == 501)
        #expect(try reader.shown(Follower.Column.title, of: 1) == [.string("later")])
    }

    @Test("after that the next hello names no schema, which asks for a comparison")
    func compared() throws {
        let device = try Follower(1)
        try device.tamper { try device.replica.compareView(in: $0) }
        #expect(try device.read { try device.replica.state(in: $0).schema } == .max)
    }
}
