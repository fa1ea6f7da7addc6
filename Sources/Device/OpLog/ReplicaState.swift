package import CausewayModel
import CausewayOperations

/// Where a device's file stands: what it did, what the server has, and which view of the server it holds.
package struct ReplicaState: Hashable, Sendable {
    package let client: ClientID
    /// The clients of the file before it was found to be a copy, newest first. What it made under them is its own.
    package internal(set) var predecessors: [ClientID] = []
    /// The newest openings of the file that made its changesets; `Replica.openings` has all.
    var openings = Openings()
    /// The same for its one-way entries.
    var oneWayOpenings = Openings()
    /// Which runs of the server committed the bases of its changesets: the same kind of list, with runs for openings,
    /// as far back as the oldest changeset that is kept, and with the newest runs only.
    var baseRuns = Openings()
    /// The last changeset that was logged, and the last one that the server has acknowledged.
    package internal(set) var lastSequence: UInt64 = 0
    package internal(set) var acknowledged: UInt64 = 0
    /// The same for one-way entries.
    package internal(set) var lastOneWay: UInt64 = 0
    package internal(set) var acknowledgedOneWay: UInt64 = 0
    /// The checkpoint, but for `acknowledged` above.
    package internal(set) var epoch: UInt64 = 0
    package internal(set) var version = ServerVersion.zero
    package internal(set) var querySet: UInt64 = 0
    package internal(set) var incarnation: UInt64 = 0
    /// Names the permissions that the view was made under.
    package internal(set) var permissions: UInt64 = 0
    /// Names the schema that the view was made for.
    package internal(set) var schema: UInt64 = 0
    /// Stands for no schema: the server finds out what the view holds. The version stays, since changesets are based on
    /// it.
    static let noSchema = UInt64.max
    /// The newest reading of the hybrid clock that was written or seen here.
    var clockTime: UInt64 = 0
    /// The last number given to a list element or an embedded object.
    var elementCounter: UInt64 = 0
    /// Whether the log has its index: `Trees.index`. An earlier build wrote none.
    var isIndexed = true

    init(client: ClientID) {
        self.client = client
    }

    /// A client that has done nothing yet and begins where another file stands.
    init(client: ClientID, at other: ReplicaState?) {
        self.client = client
        guard let other else { return }
        epoch = other.epoch
        version = other.version
        querySet = other.querySet
        incarnation = other.incarnation
        permissions = other.permissions
        schema = other.schema
        clockTime = other.clockTime
    }

    /// Checked in debug builds whenever a state is saved: nothing has left a log that was not in it, no opening begins
    /// beyond the end of a log, and a version belongs to an epoch.
    func assertInvariants() {
        assert(
            acknowledged <= lastSequence,
            "changeset \(acknowledged) is acknowledged, and \(lastSequence) is the last one")
        assert(
            acknowledgedOneWay <= lastOneWay,
            "entry \(acknowledgedOneWay) is acknowledged, and \(lastOneWay) is the last one")
        assert((openings.runs.last?.first ?? 0) <= lastSequence + 1, "an opening begins behind the end of the log")
        assert((oneWayOpenings.runs.last?.first ?? 0) <= lastOneWay + 1, "an opening begins behind the end of the log")
        assert(epoch != 0 || version == .zero, "a version of no database")
    }

    /// Whether the server has everything, and the file has heard of it.
    package var isSettled: Bool { lastSequence == acknowledged && lastOneWay == acknowledgedOneWay }

    /// The newest of `predecessors`; nobody if there is none.
    package var predecessor: ClientID { predecessors.first ?? .nobody }

    /// The most predecessors that are remembered.
    static let predecessorsMax = 8

    /// Whether an id was made in this file, under whatever name.
    func hasMade(_ id: ElementID) -> Bool { id.client == client || predecessors.contains(id.client) }

    mutating func nextElement() -> ElementID {
        elementCounter += 1
        return ElementID(client: client, counter: elementCounter)
    }
}

extension ReplicaState {
    /// Gives ids with consecutive counters; returns the first.
    mutating func nextElements(_ count: Int) -> ElementID {
        let first = ElementID(client: client, counter: elementCounter + 1)
        elementCounter += UInt64(count)
        return first
    }
}

extension ReplicaState {
    /// | Format | What it added at the end |
    /// |---|---|
    /// | 2 | the incarnation and the permissions |
    /// | 3 | the schema |
    /// | 4 | nothing: the log has an index since |
    /// | 5 | the openings and the earlier clients |
    /// | 6 | the openings of one-way entries |
    /// | 7 | the runs of bases |
    private static let formats: ClosedRange<UInt8> = 1...7

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: isIndexed ? Self.formats.upperBound : 3)
        writer.write(fixed64: client.rawValue)
        for number in [
            lastSequence, acknowledged, lastOneWay, acknowledgedOneWay, version.rawValue, querySet, clockTime,
            elementCounter,
        ] {
            writer.write(varint: number)
        }
        writer.write(fixed64: epoch)
        writer.write(fixed64: incarnation)
        writer.write(fixed64: permissions)
        writer.write(fixed64: schema)
        guard isIndexed else { return writer.bytes }
        openings.encode(into: &writer)
        writer.write(varint: UInt64(predecessors.count))
        for predecessor in predecessors { writer.write(fixed64: predecessor.rawValue) }
        oneWayOpenings.encode(into: &writer)
        baseRuns.encode(into: &writer)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        let format = try reader.readByte()
        guard Self.formats.contains(format) else { throw reader.malformed("sync state of another format") }
        client = ClientID(try reader.readFixed64())
        lastSequence = try reader.readVarint()
        acknowledged = try reader.readVarint()
        lastOneWay = try reader.readVarint()
        acknowledgedOneWay = try reader.readVarint()
        version = ServerVersion(try reader.readVarint())
        querySet = try reader.readVarint()
        clockTime = try reader.readVarint()
        elementCounter = try reader.readVarint()
        epoch = try reader.readFixed64()
        if format >= 2 {
            incarnation = try reader.readFixed64()
            permissions = try reader.readFixed64()
        }
        if format >= 3 { schema = try reader.readFixed64() }
        isIndexed = format >= 4
        if format >= 5 {
            openings = try Openings(from: &reader)
            for _ in 0..<(try reader.readCount(minimumBytesEach: 8)) {
                predecessors.append(ClientID(try reader.readFixed64()))
            }
        }
        if format >= 6 { oneWayOpenings = try Openings(from: &reader) }
        if format >= 7 { baseRuns = try Openings(from: &reader) }
        try reader.finish()
    }
}
