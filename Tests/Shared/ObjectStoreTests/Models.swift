import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import Glibc
import Testing

/// One class with everything, one embedded, one with string keys.
enum Models {
    static let schema = Schema([everything, address, tag])

    static let everything = ClassSchema(
        name: "Everything",
        properties: [
            Property(name: "id", type: .int, isPrimaryKey: true),
            Property(name: "flag", type: .bool, isIndexed: true),
            Property(name: "number", type: .int),
            Property(name: "indexedNumber", type: .int, isOptional: true, isIndexed: true),
            Property(name: "float", type: .float),
            Property(name: "double", type: .double, isOptional: true),
            Property(name: "text", type: .string),
            Property(name: "indexedText", type: .string, isOptional: true, isIndexed: true),
            Property(name: "data", type: .data),
            Property(name: "date", type: .date, isOptional: true),
            Property(name: "indexedDate", type: .date, isIndexed: true),
            Property(name: "oid", type: .objectId, isOptional: true),
            Property(name: "uuid", type: .uuid, isIndexed: true),
            Property(name: "optionalFlag", type: .bool, isOptional: true),
            Property(name: "optionalText", type: .string, isOptional: true),
            Property(name: "other", type: .object, isOptional: true, target: "Everything"),
            Property(name: "tag", type: .object, isOptional: true, target: "Tag"),
            Property(name: "address", type: .object, isOptional: true, target: "Address"),
            Property(name: "numbers", type: .int, collection: .list),
            Property(name: "texts", type: .string, collection: .list, isOptional: true),
            Property(name: "dates", type: .date, collection: .list),
            Property(name: "friends", type: .object, collection: .list, target: "Everything"),
            Property(name: "addresses", type: .object, collection: .list, target: "Address"),
        ])

    static let address = ClassSchema(
        name: "Address", kind: .embedded,
        properties: [
            Property(name: "city", type: .string, isOptional: true),
            Property(name: "code", type: .int),
            Property(name: "inner", type: .object, isOptional: true, target: "Address"),
            Property(name: "tag", type: .object, isOptional: true, target: "Tag"),
        ])

    static let tag = ClassSchema(
        name: "Tag",
        properties: [
            Property(name: "name", type: .string, isPrimaryKey: true),
            Property(name: "weight", type: .double),
        ])
}

func openInMemory(_ name: String) throws -> ObjectStore {
    try ObjectStore.open(path: name, options: .init(inMemory: true, mapSizeBytes: 1 << 32))
}

extension Transaction {
    func existing(_ name: String) throws -> Table {
        try #require(table(name))
    }
}

func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch let error as StoreError {
        return error.code
    } catch {
        return StoreError.Code("\(error)")
    }
}
