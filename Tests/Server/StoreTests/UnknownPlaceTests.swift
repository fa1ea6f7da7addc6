import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Inserts that name a place which only their device remembers, into a list that shows nothing.
@Suite("Places that the record does not know")
struct UnknownPlaceTests {
    private func isTold(_ edit: ListOperation) throws -> Bool {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        let start = record.store.version
        try record.write(Record.ann, .list(dog(1), property: "toys", edit))
        let touched = try record.store.snapshot().history(after: start, for: Record.ann).touched
        #expect(try record.toys(1) == [.string("ball")])
        return try #require(touched.first { $0.name.key == .int(1) }).effective == false
    }

    @Test("their author is told the list, since it has placed the element otherwise; one that names none is not")
    func told() throws {
        let (id, lost) = (ElementID(client: Record.ann, counter: 2), ElementID(client: Record.ann, counter: 1))
        #expect(try isTold(.insert(id, left: nil, right: lost, value: .string("ball"))))
        #expect(try isTold(.insert(id, left: lost, right: nil, value: .string("ball"))))
        #expect(try isTold(.insert(id, left: nil, right: nil, value: .string("ball"))) == false)
    }
}
