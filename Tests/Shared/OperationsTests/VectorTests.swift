import CausewayModel
import CausewayOperations
import Foundation
import Testing

/// The bytes of each kind of run, checked in: a change to the encoding by accident shows here.
///
/// After a change on purpose raise `Changeset.encodingVersion`, and run the tests with `CAUSEWAY_WRITE_VECTORS=1`.
@Suite struct VectorTests {
    static let vectors: [(name: String, changesets: [Changeset])] = [
        ("empty", []),
        ("no-operations", [Sample.changeset(1, [])]),
        ("creates", [Sample.changeset(1, creates)]),
        ("values", [Sample.changeset(2, values)]),
        ("sets", [Sample.changeset(3, sets)]),
        ("deletes", [Sample.changeset(4, deletes)]),
        ("lists", [Sample.changeset(5, lists)]),
        ("keyed", [Sample.changeset(8, keyed)]),
        ("additions", [Sample.changeset(10, additions)]),
        ("decimals", [Sample.changeset(8, decimals)]),
        ("any-links", [Sample.changeset(9, anyLinks)]),
        ("last-seen", [lastSeen]),
        ("last-seen-in-runs", [lastSeenInRuns]),
        ("embedded", [Sample.changeset(6, embedded), Sample.changeset(7, sets)]),
    ]

    private static let creates: [CausewayOperations.Operation] = (0..<6).map { index in
        .create(
            ObjectReference("Flight", .int(100 + index)), life: 1,
            fields: [
                FieldValue("carrier", .link(.string(index % 2 == 0 ? "AA" : "UA"))),
                FieldValue("delay", index == 3 ? .null : .double(Double(index) * 2.5)),
                FieldValue("distance", .double(Double(index * 100))),
                FieldValue("cancelled", .bool(index == 4)),
                FieldValue("year", .int(2013), isDefault: true),
                FieldValue("departure", .timestamp(Timestamp(seconds: 1_357_034_400 + index * 60, nanoseconds: 0))),
            ])
    }

    private static let lastSeen: Changeset = {
        var changeset = Sample.changeset(11, sets)
        changeset.lastSeen = [
            Changeset.LastSeen(
                ServerVersion(3), [ObjectReference("Note", .int(2)), ObjectReference("Home", .container(Sample.id(4)))])
        ]
        return changeset
    }()

    private static let lastSeenInRuns: Changeset = {
        var changeset = Sample.changeset(11, sets)
        changeset.lastSeen = [
            Changeset.LastSeen(ServerVersion(30), [ObjectReference("Note", .int(2))]),
            Changeset.LastSeen(ServerVersion(300), of: 1, [ObjectReference("Note", .int(1))]),
            Changeset.LastSeen(ServerVersion(20), of: .max, [ObjectReference("Home", .container(Sample.id(4)))]),
        ]
        return changeset
    }()

    private static let values: [CausewayOperations.Operation] = Sample.values.enumerated().map { index, value in
        .create(ObjectReference("Any\(index)", .string("k")), life: 3, fields: [FieldValue("value", value)])
    }

    /// Each alone, and all in one column.
    private static let decimals: [CausewayOperations.Operation] =
        Sample.decimals.enumerated().map { index, value in
            .create(ObjectReference("Any\(index)", .int(0)), life: 1, fields: [FieldValue("value", value)])
        }
        + Sample.decimals.enumerated().map { index, value in
            .create(ObjectReference("Any", .int(Int64(index))), life: 1, fields: [FieldValue("value", value)])
        }

    private static let anyLinks: [CausewayOperations.Operation] = Sample.anyLinks.enumerated().map { index, value in
        .create(ObjectReference("Any", .int(Int64(index))), life: 1, fields: [FieldValue("value", value)])
    }

    private static let sets: [CausewayOperations.Operation] = [
        .set(ObjectReference("Note", .int(1)), FieldValue("done", .bool(true))),
        .set(ObjectReference("Note", .int(2)), FieldValue("done", .bool(true))),
        .set(ObjectReference("Note", .uuid(UUID16(high: 1, low: 2))), FieldValue("title", .string("Größe"))),
    ]

    private static let deletes: [CausewayOperations.Operation] = [
        .delete(ObjectReference("Note", .string("a")), life: 2),
        .delete(ObjectReference("Note", .string("b")), life: 2),
        .delete(ObjectReference("Note", .null), life: 4),
    ]

    private static let lists: [CausewayOperations.Operation] = [
        .insert(Sample.id(10), left: nil, right: nil, value: .int(1)),
        .insert(Sample.id(11), left: Sample.id(10), right: nil, value: .int(2)),
        .insert(Sample.id(12), left: Sample.id(11), right: Sample.id(3, 8), value: .link(.int(4))),
        .move(Sample.id(10), position: Sample.id(13), left: Sample.id(12), right: Sample.id(3, 8)),
        .set(Sample.id(11), value: .string("x")), .delete(Sample.id(12)), .clear([Sample.id(10), Sample.id(11)]),
    ].map { .list(ObjectReference("Note", .int(1)), property: "items", $0) }

    private static let additions: [CausewayOperations.Operation] =
        (0..<5).map { .add(ObjectReference("Page", .int($0)), property: "likes", Addition($0 % 2 == 0 ? 1 : -300)) }
        + [
            .add(ObjectReference("Page", .string("a")), property: "views", Addition(.max)),
            .add(ObjectReference("Page", .string("b")), property: "views", Addition(.min)),
        ]

    private static let keyed: [CausewayOperations.Operation] = [
        .keyed(ObjectReference("Dog", .int(1)), property: "cities", .put(key: .string("Ulm"), value: .null)),
        .keyed(ObjectReference("Dog", .int(1)), property: "cities", .remove(key: .string("Bonn"))),
        .keyed(ObjectReference("Dog", .int(1)), property: "friends", .put(key: .link(.int(2)), value: .null)),
        .keyed(ObjectReference("Dog", .int(1)), property: "parks", .put(key: .string("Ulm"), value: .string("Au"))),
        .keyed(ObjectReference("Dog", .int(1)), property: "parks", .put(key: .string("Bonn"), value: .null)),
        .keyed(ObjectReference("Dog", .int(1)), property: "parks", .remove(key: .string("Köln"))),
    ]

    private static let embedded: [CausewayOperations.Operation] = [
        .create(
            ObjectReference("Address", .container(Sample.id(20))), life: 1, fields: [FieldValue("city", .string("Ulm"))]
        ),
        .set(ObjectReference("Person", .int(1)), FieldValue("address", .link(.container(Sample.id(20))))),
    ]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Vectors/changesets")

    @Test(
        "changesets are written as the checked-in bytes, and those are read as the same changesets",
        arguments: vectors.indices)
    func vector(_ index: Int) throws {
        let (name, changesets) = VectorTests.vectors[index]
        let file = VectorTests.folder.appendingPathComponent("\(name).hex")
        let bytes = Changeset.encode(changesets)
        if ProcessInfo.processInfo.environment["CAUSEWAY_WRITE_VECTORS"] != nil {
            try hexadecimal(bytes).write(to: file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(hexadecimal(bytes) == written, "\(name)")
        #expect(try Changeset.decode(bytesOf(written)) == changesets, "\(name)")
    }

    /// Thirty-two bytes a line.
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        var text = ""
        for (index, byte) in bytes.enumerated() {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
            if index % 32 == 31 || index == bytes.count - 1 { text.append("\n") }
        }
        return text
    }

    private func bytesOf(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
