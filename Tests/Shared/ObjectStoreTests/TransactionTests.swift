import CausewayFolders
import CausewayModel
import CausewayObjectStore
import CausewayQuery
import CausewayStorage
import Dispatch
import Glibc
import Synchronization
import Testing

@Suite("Transactions of objects")
struct TransactionTests {
    private func prepared(_ name: String) throws -> (store: ObjectStore, transaction: Transaction) {
        let store = try openInMemory(name)
        let transaction = try store.write()
        try transaction.extendSchema(Models.schema)
        try transaction.commit()
        return (store, transaction)
    }

    @Test("tables and transactions stay the same objects through write, commit, abort and advance")
    func sameObjects() throws {
        let (store, transaction) = try prepared("same objects")
        let table = try transaction.existing("Tag")
        let reader = try store.read()
        let readTable = try reader.existing("Tag")
        try transaction.beginWriting()
        let key = try table.create(.string("a"), row: [.null, .double(1)])
        #expect(table.exists(key))
        #expect(!readTable.exists(key))
        let version = try transaction.commit()
        #expect(transaction.table("Tag") === table)
        #expect(table.value(key, 1) == .double(1))
        #expect(transaction.version == version && !transaction.isWritable)
        #expect(try reader.advance())
        #expect(try !reader.advance())
        #expect(readTable.value(key, 1) == .double(1))
        try reader.beginWriting()
        readTable.set(key, 1, .double(2))
        #expect(readTable.value(key, 1) == .double(2))
        reader.abort()
        #expect(readTable.value(key, 1) == .double(1))
        #expect(reader.version == version)
    }

    @Test("a frozen copy keeps its version, also of a write in progress")
    func frozen() throws {
        let (_, transaction) = try prepared("frozen")
        try transaction.beginWriting()
        let key = try transaction.existing("Tag").create(.string("a"))
        try transaction.commit()
        let frozen = try transaction.frozenCopy()
        try transaction.beginWriting()
        try transaction.existing("Tag").set(key, 1, .double(5))
        let duringWrite = try transaction.frozenCopy()
        try transaction.commit()
        #expect(try frozen.existing("Tag").value(key, 1) == .double(0))
        #expect(try duringWrite.existing("Tag").value(key, 1) == .double(0))
        #expect(frozen.version == transaction.version - 1)
    }

    @Test("a write that changed nothing makes no version")
    func emptyWrite() throws {
        let (store, transaction) = try prepared("empty")
        let version = store.newestVersion
        try transaction.beginWriting()
        #expect(try transaction.commit() == version)
        #expect(store.newestVersion == version)
    }

    @Test("a failed commit leaves the transaction reading what was there before")
    func failedCommit() throws {
        let (_, transaction) = try prepared("failing")
        try transaction.beginWriting()
        let key = try transaction.existing("Tag").create(.string("a"))
        transaction.tree("extra").put(Array(repeating: 0, count: maximumKeyBytes + 1), [])
        #expect(code { try transaction.commit() } == .keyTooLong)
        #expect(!transaction.isWritable)
        #expect(try !transaction.existing("Tag").exists(key))
        try transaction.beginWriting()
        _ = try transaction.existing("Tag").create(.string("a"))
        try transaction.commit()
        #expect(try transaction.existing("Tag").count == 1)
    }

    @Test("trees of others commit and abort with the objects")
    func trees() throws {
        let (store, transaction) = try prepared("trees")
        try transaction.beginWriting()
        let tree = transaction.tree("log")
        #expect(tree.isEmpty)
        for number in UInt8(0)..<10 { tree.put([number], [number, number]) }
        #expect(tree.get([3]) == [3, 3])
        try transaction.commit()
        #expect(tree.count == 10)
        try transaction.beginWriting()
        #expect(tree.remove([3]))
        #expect(!tree.remove([3]))
        tree.removeRange(from: [5], upTo: [8])
        var found: [UInt8] = []
        tree.scan(from: [1], reversed: true) { key, value in
            found.append(key[0])
            #expect(value.count == 2)
            return found.count < 5
        }
        #expect(found == [9, 8, 4, 2, 1])
        transaction.tree("other").put([1], [])
        transaction.abort()
        #expect(tree.count == 10)
        #expect(transaction.tree("other").isEmpty)
        let reader = try store.read()
        #expect(reader.tree("log").get([9]) == [9, 9])
    }

    @Test("to remove a range of a tree in which there is nothing changes nothing")
    func emptyRange() throws {
        let (_, transaction) = try prepared("empty range")
        try transaction.beginWriting()
        transaction.tree("log").put([1], [1])
        let version = try transaction.commit()
        try transaction.beginWriting()
        transaction.tree("log").removeRange(from: [2])
        transaction.tree("never written").removeRange()
        #expect(try transaction.commit() == version)
        try transaction.beginWriting()
        transaction.tree("log").removeRange(from: [1])
        #expect(try transaction.commit() == version + 1)
    }

    @Test("observers hear of every commit until they let go")
    func observers() throws {
        let (store, transaction) = try prepared("observers")
        let heard = Mutex<[UInt64]>([])
        var observation: CommitObservation? = store.observeCommits { version in heard.withLock { $0.append(version) } }
        for number in 0..<3 {
            try transaction.beginWriting()
            _ = try transaction.existing("Tag").create(.string("\(number)"))
            try transaction.commit()
        }
        #expect(observation != nil)
        observation = nil
        try transaction.beginWriting()
        _ = try transaction.existing("Tag").create(.string("x"))
        try transaction.commit()
        #expect(heard.withLock { $0 } == [2, 3, 4])
    }

    @Test("many threads read whole versions while one writes, and writers never lose an update")
    func threads() async throws {
        let (store, transaction) = try prepared("threads")
        try transaction.beginWriting()
        let tags = try transaction.existing("Tag")
        for number in 0..<2500 { _ = try tags.create(.string("\(number)")) }
        try transaction.commit()
        let keys = tags.allKeys
        transaction.end()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let reader = try store.read()
                    let table = try reader.existing("Tag")
                    for _ in 0..<40 {
                        try reader.advance()
                        let first = table.value(keys[0], 1)
                        for key in keys where table.value(key, 1) != first { Issue.record("a torn version") }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<20 {
                        let writer = try store.write()
                        let table = try writer.existing("Tag")
                        guard case .double(let value) = table.value(keys[0], 1) else { return }
                        for key in keys { table.set(key, 1, .double(value + 1)) }
                        try writer.commit(.relaxed)
                    }
                }
            }
            try await group.waitForAll()
        }
        let reader = try store.read()
        #expect(try reader.existing("Tag").value(keys[7], 1) == .double(40))
    }

    @Test("a closed store refuses, and open transactions go on reading")
    func closing() throws {
        let (store, transaction) = try prepared("closing")
        store.close()
        #expect(code { _ = try store.read() } == .closed)
        #expect(code { _ = try store.write() } == .closed)
        #expect(try transaction.existing("Tag").count == 0)
        #expect(try openInMemory("closing") !== store)
    }

    @Test("a file is one store in a process, whatever path leads to it")
    func oneStore() throws {
        let folder = try TemporaryFolder()
        let store = try ObjectStore.open(path: folder.file("a.realm"))
        symlink(folder.file("a.realm"), folder.file("b.realm"))
        #expect(try ObjectStore.open(path: folder.file("b.realm")) === store)
    }

    @Test("bytes that contradict themselves are an error, not a crash")
    func damagedLeaf() throws {
        let folder = try TemporaryFolder()
        do {
            let transaction = try ObjectStore.open(path: folder.file("a.realm")).write()
            try transaction.extendSchema(Models.schema)
            let table = try transaction.existing("Tag")
            for number in 0..<1000 {
                _ = try table.create(.string("tag \(number)"), row: [.null, .double(Double(number))])
            }
            try transaction.commit()
        }
        do {
            // Scribbles over the header of every leaf through the storage below.
            let storage = try StorageRegistry.shared.open(path: folder.file("a.realm"), options: StorageOptions())
            let writer = try storage.write()
            for column in UInt32(0)..<100 {
                guard let leaf = writer.leaf(column: column, number: 0) else { continue }
                var bytes = Array(leaf)
                bytes[4] = 0xFF
                bytes[5] = 0xFF
                bytes.withUnsafeBytes { writer.replaceLeaf(column: column, number: 0, $0) }
            }
            _ = try writer.commit(.durable)
        }
        let transaction = try ObjectStore.open(path: folder.file("a.realm")).read()
        let table = try transaction.existing("Tag")
        _ = table.allKeys
        _ = table.value(ObjectKey(5), 1)
        #expect(code { _ = try transaction.count("Tag", matching: .constant(true)) } == .damaged)
        #expect(code { try transaction.beginWriting() } == .damaged)
    }
}
