import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What the record keeps of one client.
struct ClientState {
    var user: String
    var committed: UInt64 = 0
    var ingested: UInt64 = 0
    /// The time of its last stamp after clamping: the next one is later.
    var lastTime: UInt64 = 0
    /// How many bytes of its refusals are kept that no copy of its file has stored. Refusals of an earlier build, which
    /// did not count them, count once a hello removes some of them.
    var refusalBytes: UInt64 = 0
    /// The changeset up to which a copy of its file, which may be the only one, has stored the refusals.
    var told: UInt64 = 0
    /// Which openings of its file made the committed changesets.
    var openings = Openings()
    /// Which openings of its file made the ingested entries.
    var oneWayOpenings = Openings()
    /// The names of its file before it was found to be a copy, newest first: what the file makes may bear their ids.
    var predecessors: [ClientID] = []
    /// The version at which it took their place: what was written later under these names is another file's.
    var inherited = ServerVersion.zero
    static let predecessorsMax = 8
    /// The day on which it was last heard of, by a clock that is believed; zero where nobody noted it.
    var heardDay: UInt64 = 0

    init(user: String) {
        self.user = user
    }

    init?(of client: ClientID, in transaction: Transaction) throws(StoreFailure) {
        guard let bytes = transaction.tree(Layout.clients).get(Layout.bytes(client.rawValue)) else { return nil }
        var reader = ByteReader(bytes)
        do {
            committed = try reader.readVarint()
            ingested = try reader.readVarint()
            lastTime = try reader.readVarint()
            user = try reader.readString()
            if !reader.isAtEnd { refusalBytes = try reader.readVarint() }
            if !reader.isAtEnd {
                openings = try Openings(from: &reader)
                for _ in 0..<(try reader.readCount(minimumBytesEach: 8)) {
                    predecessors.append(ClientID(try reader.readFixed64()))
                }
                inherited = ServerVersion(try reader.readVarint())
            }
            if !reader.isAtEnd { oneWayOpenings = try Openings(from: &reader) }
            if !reader.isAtEnd { told = try reader.readVarint() }
            if !reader.isAtEnd { heardDay = try reader.readVarint() }
        } catch {
            // Answering as if the client were new would apply its uploads twice.
            throw StoreFailure(damaged: Layout.clients, error)
        }
    }

    func save(for client: ClientID, in transaction: Transaction) {
        var writer = ByteWriter()
        writer.write(varint: committed)
        writer.write(varint: ingested)
        writer.write(varint: lastTime)
        writer.write(string: user)
        let isDated = heardDay > 0
        let isTold = told > 0 || isDated
        let isCopied = !openings.isEmpty || !predecessors.isEmpty || !oneWayOpenings.isEmpty || isTold
        if refusalBytes > 0 || isCopied { writer.write(varint: refusalBytes) }
        if isCopied {
            openings.encode(into: &writer)
            writer.write(varint: UInt64(predecessors.count))
            for predecessor in predecessors { writer.write(fixed64: predecessor.rawValue) }
            writer.write(varint: inherited.rawValue)
            if !oneWayOpenings.isEmpty || isTold { oneWayOpenings.encode(into: &writer) }
            if isTold { writer.write(varint: told) }
            if isDated { writer.write(varint: heardDay) }
        }
        transaction.tree(Layout.clients).put(Layout.bytes(client.rawValue), writer.bytes)
    }

    /// Notes that the client was heard of.
    ///
    /// - Parameter received: the time, by a clock that is believed.
    /// - Returns: whether that is news.
    mutating func hear(at received: UInt64) -> Bool {
        let day = ClientKeeping.day(of: received)
        defer { heardDay = max(heardDay, day) }
        return day > heardDay
    }

    /// Whether another opening made the changeset that is known by this number: then this one is no repetition of it.
    /// That may also be so of a changeset older than the openings that are kept, and the answer to a hello tells.
    func isOfCopy(_ changeset: Changeset) -> Bool {
        openings.mayIncludeOther(than: changeset.opening, in: changeset.sequence...changeset.sequence)
    }

    /// The same for one-way entries.
    ///
    /// - Precondition: the first of the batch is there already.
    func hasOfCopy(_ batch: OneWayBatch) -> Bool {
        let last = min(batch.first - 1 + UInt64(batch.entries.count), ingested)
        return last >= batch.first && oneWayOpenings.mayIncludeOther(than: batch.opening, in: batch.first...last)
    }

    /// A stamp no later than the time of receipt, and later than every stamp of the client before. So a clock that runs
    /// ahead does not win over what others write from now on, and its owner's writes stay in their order. Nor does a
    /// stamp lose to what its owner had seen: that is no later than `newest`, the latest stamp of anybody.
    mutating func clamp(
        _ stamp: Stamp, of client: ClientID, receivedAt time: UInt64, newest: inout UInt64
    ) -> Stamp {
        let latest = max(min(time, Stamp.wallMillisecondsMax) << 16 | 0xFFFF, newest &+ 1)
        lastTime = max(min(stamp.time, latest), lastTime &+ 1)
        newest = max(newest, lastTime)
        return Stamp(time: lastTime, client: client)
    }
}
