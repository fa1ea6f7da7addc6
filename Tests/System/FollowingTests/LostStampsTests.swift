import CausewayFollowers
import CausewayModel
import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("Stamps that a restored server has lost")
struct LostStampsTests {
    @Test("do not beat a pending write, in an object or in a part of one", arguments: [false, true])
    func pendingWrite(isInPart: Bool) throws {
        let (record, older) = (try Follower.record(), try Follower.record())
        let (author, other) = (try Follower(1), try Follower(2))
        for device in [author, other] {
            for record in [record, older] { _ = try record.register(device.client, user: "u") }
        }
        /// Writes the title of the note, or the city of its place.
        func write(_ string: String, on device: Follower, at time: UInt64) throws {
            try device.write(at: time) { transaction in
                let notes = try #require(transaction.table("Note"))
                let key = try #require(notes.key(for: .int(1)))
                guard isInPart else { return notes.set(key, Follower.Column.title, .string(string)) }
                let places = try #require(transaction.table("Place"))
                places.set(try #require(places.allKeys.first), 0, .string(string))
            }
        }
        func shown(on device: Follower) throws -> Value? {
            if !isInPart { return try device.shown(Follower.Column.title, of: 1).first }
            return try device.read { transaction in
                let places = try #require(transaction.table("Place"))
                return places.allKeys.first.map { places.value($0, 0) }
            }
        }
        try other.write(at: 1_000) { transaction in
            let notes = try #require(transaction.table("Note"))
            let key = try notes.create(.int(1))
            notes.listInsert(key, Follower.Column.places, 0, try other.place("", in: transaction))
        }
        try write("both", on: other, at: 1_001)
        // The second one stays as it is now: the copy that is restored later.
        try other.upload(to: record, older, at: 1_002)
        for device in [author, other] { try device.download(from: record) }

        try write("mine", on: author, at: 2_000)
        try write("lost", on: other, at: 3_000)
        try write("both", on: other, at: 3_001)
        try other.upload(to: record, at: 3_002)
        try author.download(from: record)
        #expect(try shown(on: author) == .string("both"))

        try author.downloadCompared(from: older)
        #expect(try shown(on: author) == .string("mine"))
        try author.upload(to: older, at: 4_000)
        try author.download(from: older)
        #expect(try shown(on: author) == .string("mine"))
        #expect(try author.disagreement(with: older) == nil)
    }
}
