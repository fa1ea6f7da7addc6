import Causeway
import Foundation
import Testing

/// A Realm of its own for one test, in memory.
func memoryRealm(_ types: [ObjectBase.Type]) throws -> Realm {
    try Realm(configuration: memoryConfiguration(types))
}

func memoryConfiguration(_ types: [ObjectBase.Type]) -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
}

/// The classes of the documents' page on reading.
let readPage: [ObjectBase.Type] = [Dog.self, DogToy.self, Person.self, DogClub.self, Address.self]
/// The classes of the documents' page on filtering.
let filterPage: [ObjectBase.Type] = [FilterPage.Task.self, FilterPage.Project.self]

/// Runs a body with a folder that is gone afterwards.
func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// What a process that an exit test ran said before it stopped.
func lastWords(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Dogs by name, in the order of the collection.
func names(_ dogs: some Sequence<Dog>) -> [String] {
    dogs.map(\.name)
}
