/// The first 24 bytes of a Realm file: its format, and where the top node of its newest version is.
struct FileHeader {
    static let byteCount = 24
    static let format: UInt8 = 24
    private static let name = Array("T-DB".utf8)
    private static let namePlace = 16
    private static let formatPlace = 20
    private static let flagsPlace = 23
    /// The place of the top node in a file that was written in one piece: at the end, before this number.
    private static let endMark: UInt64 = 0x3034_1252_37E5_26C8
    private static let endByteCount = 16

    /// Nil in a file that nothing was written to.
    var top: Int?

    static func isThere(in bytes: [UInt8]) -> Bool {
        bytes.count >= byteCount && bytes[namePlace..<namePlace + name.count].elementsEqual(name)
    }

    init(_ file: FileBytes) throws {
        guard Self.isThere(in: file.bytes) else {
            throw RealmFileFailure(
                "The file does not begin as a Realm file does. It is none, or it is encrypted: then give the file of its key with "
                    + "--realm-key-file."
            )
        }
        let slot = Int(file.bytes[Self.flagsPlace] & 1)
        try Self.check(format: file.bytes[Self.formatPlace + slot])
        var place = file.number(at: 8 * slot, as: UInt64.self)
        if slot == 0, place == .max {
            let end = file.count - Self.endByteCount
            guard end >= Self.byteCount, file.number(at: end + 8, as: UInt64.self) == Self.endMark else {
                throw RealmFileFailure(
                    "The Realm file is cut off: its last bytes are not those of a Realm file. Copy it again.")
            }
            place = file.number(at: end)
        }
        guard let top = Int(exactly: place) else {
            throw RealmFileFailure.damaged(at: 8 * slot, "the place of the top node is outside of the file")
        }
        self.top = top == 0 ? nil : top
    }

    private static func check(format: UInt8) throws {
        if format == Self.format { return }
        throw RealmFileFailure(
            format < Self.format
                ? "The Realm file has format \(format), and format \(Self.format) is read. Open it once with the last Realm SDK, "
                    + "which upgrades it."
                : "The Realm file has format \(format), and format \(Self.format) is the newest that is read.")
    }
}
