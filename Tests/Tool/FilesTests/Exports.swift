import CausewayFiles
import CausewayModel
import CausewayObjectStore
import Foundation
import Testing

enum Exports {
    /// The bytes of a whole export.
    @discardableResult
    static func write(
        _ source: String, to path: String, _ export: ObjectExport? = nil, key: [UInt8]? = nil
    ) throws -> [UInt8] {
        let file = try OpenedFile.inspect(source, key: key)
        defer { file.close() }
        let output = try ExportOutput(path: path)
        try (try export ?? ObjectExport()).write(file, to: output)
        try output.finish()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func lines(_ source: String, _ export: ObjectExport? = nil) throws -> [String] {
        let path = source + ".lines"
        defer { try? FileManager.default.removeItem(atPath: path) }
        return String(decoding: try write(source, to: path, export), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}

/// Files of the tests.
enum Files {
    static let homes = Schema([
        ClassSchema(
            name: "Dog",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
                Property(name: "home", type: .object, isOptional: true, target: "Home"),
            ]),
        ClassSchema(name: "Home", properties: [Property(name: "street", type: .string, isOptional: true)]),
    ])

    static func change(
        _ path: String, _ schema: Schema, key: [UInt8]? = nil, _ body: (Transaction) throws -> Void
    ) throws {
        let store = try ObjectStore.open(path: path, options: ObjectStore.Options(encryptionKey: key))
        defer { store.close() }
        let write = try store.write()
        defer { write.end() }
        try write.extendSchema(schema.withNestedCollections)
        try body(write)
        try write.commit()
    }

    /// A file of one home, and dogs that live there.
    static func makeHomes(_ path: String, dogs count: Int) throws {
        try change(path, homes) { transaction in
            let dogs = try #require(transaction.table("Dog"))
            let home = try #require(transaction.table("Home")).create(nil, row: [.string("Main")])
            for number in 1...count {
                _ = try dogs.create(.int(Int64(number)), row: [.null, .string("Rex \(number)"), .object(home)])
            }
        }
    }
}
