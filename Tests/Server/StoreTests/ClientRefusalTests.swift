import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What an operator sees of refused operations", .everyBackend)
struct ClientRefusalTests {
    private func group(_ className: String, _ code: StoreFailure.Code, _ count: Int) -> RefusedChangeset.Group {
        RefusedChangeset.Group(className: className, code: code, count: count)
    }

    @Test("the clients with refusals are listed by user and page by page, with what is kept of each")
    func clients() throws {
        let record = try Record()
        let others = (10..<15).map { ClientID(UInt64($0)) }
        for client in others { _ = try record.backend.register(client, user: "other") }
        try record.write(Record.ann, create(dog(1)), set(dog(2), "age", .int(1)), .delete(dog(3), life: 2))
        try record.write(Record.ann, create(dog(4)))
        try record.write(Record.ann, set(dog(1), "colour", .null))
        for client in others {
            let changeset = record.changeset(client, [set(dog(9), "age", .int(1))])
            _ = try record.backend.commit(
                [UploadBatch(client: client, user: "other", changesets: [changeset])], receivedAt: record.time)
        }
        let (all, next) = try record.store.clientsRefused(after: nil, user: nil, countMax: 10)
        #expect(all.map(\.client) == [Record.ann] + others && next == nil)
        let ann = try #require(all.first)
        #expect(ann.user == "user" && ann.committed == 3 && ann.changesets == 2 && ann.operations == 3 && ann.told == 0)
        // Page by page, nobody twice and nobody left out.
        var (found, position): ([ClientID], ClientID?) = ([], nil)
        repeat {
            let page = try record.store.clientsRefused(after: position, user: "other", countMax: 2)
            #expect(page.clients.count <= 2 && page.clients.allSatisfy { $0.user == "other" })
            found += page.clients.map(\.client)
            position = page.next
        } while position != nil
        #expect(found == others)
        #expect(try record.store.clientsRefused(after: nil, user: "nobody", countMax: 2).clients.isEmpty)
    }

    @Test("the refusals of a client are told by changeset: version, time, class, code and count, and whether it knows")
    func changesets() throws {
        let record = try Record()
        try record.write(
            Record.ann, create(dog(1)), set(dog(2), "age", .int(1)), set(dog(3), "age", .int(1)),
            set(dog(1), "colour", .null))
        let version = record.store.version
        let time = record.time
        try record.write(Record.ann, .delete(ObjectReference("Cat", .int(1)), life: 2))
        _ = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(acknowledged: 1))
        let page = try #require(try record.store.refusedChangesets(of: Record.ann, after: 0, countMax: 10))
        #expect(page.user == "user" && !page.hasMore && page.changesets.map(\.sequence) == [1, 2])
        let first = try #require(page.changesets.first)
        #expect(first.version == version && first.received == time && first.isTold && first.others == 0)
        #expect(first.groups == [group("Dog", .objectUnknown, 2), group("Dog", .operationInvalid, 1)])
        #expect(page.changesets[1].groups == [group("Cat", .operationInvalid, 1)] && !page.changesets[1].isTold)
        let second = try #require(try record.store.refusedChangesets(of: Record.ann, after: 1, countMax: 10))
        #expect(second.changesets.map(\.sequence) == [2])
        let short = try #require(try record.store.refusedChangesets(of: Record.ann, after: 0, countMax: 1))
        #expect(short.changesets.map(\.sequence) == [1] && short.hasMore)
        #expect(try record.store.refusedChangesets(of: ClientID(77), after: 0, countMax: 10) == nil)
        #expect(try record.store.refusedChangesets(of: Record.bob, after: .max, countMax: 10)?.changesets == [])
    }

    @Test("classes that an upload invents do not make the list long")
    func hostile() throws {
        let record = try Record()
        try record.commit(
            Record.ann,
            record.changeset(
                Record.ann, (0..<1_000).map { .delete(ObjectReference("Class\($0)", .int(1)), life: 2) }))
        let page = try #require(try record.store.refusedChangesets(of: Record.ann, after: 0, countMax: 10))
        let changeset = try #require(page.changesets.first)
        #expect(changeset.groups.count == RefusedChangeset.groupsMax)
        #expect(changeset.groups.reduce(0) { $0 + $1.count } + changeset.others == 1_000)
    }
}
