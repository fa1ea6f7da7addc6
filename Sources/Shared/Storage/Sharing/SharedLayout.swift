/// The layout of the memory that all users of a file share: the file `NAME-lock`, mapped. `SHARING.md` has the same as
/// a table, with the writer of each field.
enum SharedLayout {
    /// "CAUSSHAR" in the machine's order: the file never leaves the machine.
    static let magic: UInt64 = 0x5241_4853_5355_4143
    static let version: UInt32 = 1

    // MARK: - The header

    static let magicOffset = 0
    static let versionOffset = 8
    /// One as soon as the first opener has found the newest state.
    static let readyOffset = 12
    /// The inode of the data file.
    static let fileNumberOffset = 16
    /// Alone in its cache line: every process reads it often, and it changes once a commit.
    static let newestOffset = 64
    static let newestSlotOffset = 128
    static let durableOffset = 136
    static let recoveredOffset = 144
    static let syncingOffset = 152
    static let slotTransactionsOffset = 160
    static let nextBirthOffset = 192
    static let committingOffset = 200
    static let poisonOffset = 208
    /// The first birth and the two halves of the salt of the encryption session. A salt of zero: no session yet.
    static let sessionOffset = 216
    /// Not zero once any process has asked that commits tell places: see ``Storage/tellPlaces()``.
    static let tellsPlacesOffset = 240
    /// One bit for each process entry: the entry is taken.
    static let takenOffset = 256
    /// One bit for each process entry: a thread sleeps on its wake word.
    static let watchingOffset = 320
    static let headerBytes = 4096

    static let slotCount = 4
    static let processesMaximum = 256

    // MARK: - A process entry

    static let entryBytes = 576
    static let entryProcessOffset = 0
    static let entryStartOffset = 8
    static let entryNameOffset = 16
    static let entryNameBytes = 32
    static let entryWakeOffset = 48
    static let entryRangeLowOffset = 64
    static let entryRangeHighOffset = 72
    static let entryPinsOffset = 80
    static let pinsMaximum = 62

    static func byteCount(processes: Int) -> Int { headerBytes + processes * entryBytes }
    static let fileBytes = byteCount(processes: processesMaximum)

    // MARK: - Bytes that are locked

    // These offsets are the same in every version of the layout, so that a process can see users of another version.
    // Some of these bytes also have content. A lock on a byte is independent of the byte's content.

    /// Held by a process that opens the file, until it knows the newest state.
    static let openingByte: Int64 = 0
    /// Held by the process that will write next, while it waits for the writer's byte.
    static let turnstileByte: Int64 = 1
    static let writerByte: Int64 = 2
    static let syncingByte: Int64 = 3
    /// One byte for each process entry, held for as long as the process has the file open.
    static let firstProcessByte: Int64 = 1 << 32
    /// More than there are entries, to leave room for later layouts.
    static let processBytes: Int64 = 1 << 16
}
