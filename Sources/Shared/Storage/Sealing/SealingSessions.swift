import CausewayEnvironment

/// Sixteen random bytes, drawn whenever a process opens a file that nobody else has open. Not secret.
struct SessionSalt: Hashable, Sendable {
    var low: UInt64
    var high: UInt64

    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    init(random: any RandomSource) {
        self.init(low: random.next(), high: random.next())
    }

    /// Reads sixteen bytes.
    init(_ bytes: UnsafeRawPointer) {
        self.init(
            low: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
            high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    var bytes: [UInt8] { littleEndianBytes(low, high) }
}

/// One uninterrupted period in which a file is open in some process. Births never repeat within it.
struct Session: Hashable, Sendable {
    /// Every page of the session was born at this transaction or later, and before the next session's first birth.
    var firstBirth: UInt64
    var salt: SessionSalt
}

/// All sessions whose pages a file may hold, to find the key of each page.
///
/// The table is a run that the header points to, 24 bytes for each session: 8 first birth, 16 salt, little-endian,
/// ascending. The first commit of each session writes it. So it is sealed under the salt that is in the clear in the
/// header that points to it. A file of one session needs no table: every birth is that session's.
struct SealingSessions: Hashable, Sendable {
    static let sessionByteCount = 24

    /// Ascending by first birth, no two the same.
    private(set) var sessions: [Session]

    init() {
        sessions = []
    }

    /// The table of a file that has seen only one session.
    init(only salt: SessionSalt) {
        sessions = [Session(firstBirth: 0, salt: salt)]
    }

    var current: Session? { sessions.last }

    // MARK: - Looking up

    /// The index of the session in which a page was born; nil when the birth is before all sessions.
    func index(ofBirth birth: UInt64) -> Int? {
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].firstBirth <= birth { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }

    /// The births that belong to the session at an index.
    func births(at index: Int) -> Range<UInt64> {
        let end = index + 1 < sessions.count ? sessions[index + 1].firstBirth : UInt64.max
        return sessions[index].firstBirth..<end
    }

    // MARK: - Changing

    /// Adds the sessions of another table, or of the lock file. A session with a first birth that is already known is
    /// ignored.
    mutating func learn(_ other: [Session]) {
        for session in other {
            let place = index(ofBirth: session.firstBirth)
            if let place, sessions[place].firstBirth == session.firstBirth { continue }
            sessions.insert(session, at: place.map { $0 + 1 } ?? 0)
        }
    }

    // MARK: - Bytes

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sessions.count * Self.sessionByteCount)
        for session in sessions {
            withUnsafeBytes(of: session.firstBirth.littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: session.salt.bytes)
        }
        return bytes
    }

    /// Reads a table. Nil when the bytes are no table that ends with the session of the header that points to it.
    init?(_ bytes: UnsafeRawBufferPointer, endingWith salt: SessionSalt) {
        guard bytes.count % Self.sessionByteCount == 0 else { return nil }
        var sessions: [Session] = []
        sessions.reserveCapacity(bytes.count / Self.sessionByteCount)
        for start in stride(from: 0, to: bytes.count, by: Self.sessionByteCount) {
            // Not empty, or there would be no stride.
            let entry = bytes.baseAddress! + start
            let session = Session(
                firstBirth: UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self)), salt: SessionSalt(entry + 8))
            if let last = sessions.last, last.firstBirth >= session.firstBirth { return nil }
            sessions.append(session)
        }
        guard let last = sessions.last, last.salt == salt, last.firstBirth < PagePointer.birthLimit else { return nil }
        self.sessions = sessions
    }
}
