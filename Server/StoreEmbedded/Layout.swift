import CausewayModel

/// The names of the trees and the shape of their keys. All numbers are big-endian, so that keys sort as numbers.
///
/// | Tree | Key | Value |
/// |---|---|---|
/// | meta | a name | a number; of `lineage` the runs of the server, see `LineageRecord.swift`; `arrivals` is the newest arrival, there once their order is kept |
/// | classes | class name | class number, 4 |
/// | declared | length of the class name, 1; class name; property name, none for the class | `DeclaredElement` |
/// | clients | client, 8 | `ClientState` |
/// | stamps | class number, 4; row, 8 | `ObjectStamps` |
/// | births | class number, 4; last row, 8 | first row, 8; `ObjectStamps` |
/// | lists | class number, 4; column, 4; row, 8 | `ListState`, of a set or map `KeyedState`, of a text its runs |
/// | counters | class number, 4; column, 4; row, 8 | `CounterRecord`, where there is anything to say |
/// | ends | class number, 4; primary key | `End` |
/// | forgotten | class number, 4 | `ForgottenEnds` |
/// | marks | version, 8; class number, 4; column, 4; row, 8 | `Mark` |
/// | marked | class number, 4; column, 4; row, 8 | nothing: a mark of it is waiting |
/// | folded | class number, 4; column, 4; row, 8 | of a list or text that has forgotten positions: the version of its last mark, 8 |
/// | history | version, 8; form of the record, 1: none of an earlier build | `HistoryRecord`; of an earlier build `EarlierRecord` |
/// | images | version, 8; number, 4 | `ObjectState`; small ones are in the record of the version: `SmallImage` |
/// | edits | version, 8; number, 4; column, 4 | `KeptEdits`: what the version did to a list, set, map or text of the object |
/// | creators | a user's name | how many objects that exist now the user's clients created, 8: see `CreatorTree` |
/// | refusals | client, 8; changeset, 8 | `RefusalRecord`; of an earlier build also client, 8; changeset, 8; operation, 4: code, reason, object |
/// | receipts | length of the user's name, 2; user; key of the call | `ReceiptTree` |
/// | receipts.order | number, 8 | key of the receipt |
/// | arrivals | number of the arrival, 8 | of a one-way object: class number, 4; row, 8; milliseconds of receipt, 8 |
/// | arrived | class number, 4; row, 8 | number of its arrival, 8 |
/// | positions | a reader's name | how far it got, in a form of its own |
/// | shutOut | `ShutOut.Subject` | `ShutOut`; in a replica alone |
enum Layout {
    static let meta = "server.meta"
    static let classes = "server.classes"
    static let declared = "server.declared"
    static let clients = "server.clients"
    static let stamps = "server.stamps"
    static let births = "server.births"
    static let lists = "server.lists"
    static let counters = "server.counters"
    static let ends = "server.ends"
    static let forgotten = "server.forgotten"
    static let marks = "server.marks"
    static let marked = "server.marked"
    static let folded = "server.folded"
    static let history = "server.history"
    static let images = "server.images"
    static let edits = "server.edits"
    static let creators = "server.creators"
    static let refusals = "server.refusals"
    static let receipts = "server.receipts"
    static let receiptOrder = "server.receipts.order"
    static let arrivals = "server.arrivals"
    static let arrived = "server.arrived"
    static let positions = "server.positions"
    static let shutOut = "server.shutOut"

    static func row(_ classNumber: Int, _ key: ObjectKey) -> [UInt8] {
        bytes(UInt32(truncatingIfNeeded: classNumber)) + bytes(UInt64(bitPattern: key.rawValue))
    }

    static func list(_ classNumber: Int, _ column: Int, _ key: ObjectKey) -> [UInt8] {
        bytes(UInt32(truncatingIfNeeded: classNumber)) + bytes(UInt32(truncatingIfNeeded: column))
            + bytes(UInt64(bitPattern: key.rawValue))
    }

    /// The form of a ``HistoryRecord``.
    static let recordForm: UInt8 = 1

    static func record(_ version: ServerVersion) -> [UInt8] { bytes(version.rawValue) + [recordForm] }
    static func earlierRecord(_ version: ServerVersion) -> [UInt8] { bytes(version.rawValue) }

    static func isEarlierRecord(_ key: UnsafeRawBufferPointer) -> Bool { key.count == 8 }

    /// The version of a key of the history; nil for a key that it cannot have.
    static func versionOfRecord(_ key: UnsafeRawBufferPointer) -> ServerVersion? {
        guard key.count == 8 || key.count == 9 && key[8] == recordForm else { return nil }
        return number(key).map { ServerVersion($0) }
    }

    static func image(_ version: ServerVersion, _ number: UInt32) -> [UInt8] {
        bytes(version.rawValue) + bytes(number)
    }

    /// - Parameter number: of the object in its version, as for images.
    static func edits(_ version: ServerVersion, _ number: UInt32, _ column: Int) -> [UInt8] {
        image(version, number) + bytes(UInt32(truncatingIfNeeded: column))
    }

    static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The number at an offset of a key; nil when the key is too short to hold one.
    static func number<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) -> Number? {
        guard bytes.count >= offset + MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
