import Causeway
import Dispatch
import Foundation
import Synchronization
import Testing

class OpenedBook: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Opening in the background, and what configurations say", .timeLimit(.minutes(10)))
struct OpeningTests {
    private func withFolder(
        _isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func configuration(_ folder: URL, _ name: String = "books.realm") -> Realm.Configuration {
        Realm.Configuration(fileURL: folder.appendingPathComponent(name), objectTypes: [OpenedBook.self])
    }

    private func write(_ configuration: Realm.Configuration, _ title: String) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { _ = realm.create(OpenedBook.self, value: ["id": 1, "title": title], update: .all) }
    }

    /// What is open is closed a moment after its last user is gone, where work for it was still on its way.
    private func waitUntilClosed(_ configuration: Realm.Configuration) async throws {
        while true {
            do {
                _ = try Realm.deleteFiles(for: configuration)
                return
            } catch Realm.Error.alreadyOpen {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    @Test("a file has one name, whether a link or dots lead to it, and from before it exists")
    func oneName() async throws {
        try await withFolder { folder in
            let link = folder.appendingPathComponent("link")
            let real = folder.appendingPathComponent("real")
            try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
            let roundabout = try #require(URL(string: folder.path + "//link/./b.realm"))
            let upwards = URL(fileURLWithPath: folder.path + "/link/x/../c.realm")
            let dangling = folder.appendingPathComponent("dangling.realm")
            try FileManager.default.createSymbolicLink(atPath: dangling.path, withDestinationPath: "link/d.realm")
            for url in [link.appendingPathComponent("a.realm"), roundabout, upwards, dangling] {
                let configuration = Realm.Configuration(fileURL: url, objectTypes: [OpenedBook.self])
                let first = try Realm(configuration: configuration)
                let again = try Realm(configuration: configuration)
                #expect(first == again)
                #expect {
                    try Realm.deleteFiles(for: configuration)
                } throws: { error in
                    (error as? Realm.Error)?.code == .alreadyOpen
                }
                withExtendedLifetime(first) {}
            }
        }
    }

    @Test("a link that leads to itself is no file")
    func endlessLink() async throws {
        try await withFolder { folder in
            let link = folder.appendingPathComponent("endless.realm")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: link)
            #expect(throws: Realm.Error.self) {
                try Realm(configuration: Realm.Configuration(fileURL: link, objectTypes: [OpenedBook.self]))
            }
        }
    }

    // MARK: - asyncOpen

    @Test("a Realm that was opened in the background is migrated, and lives where it was wanted")
    func asyncOpen() async throws {
        try await withFolder { folder in
            try write(configuration(folder), "old")
            var newer = configuration(folder)
            newer.schemaVersion = 2
            let migratedOn = Mutex<Bool?>(nil)
            newer.migrationBlock = { _, _ in migratedOn.withLock { $0 = Thread.isMainThread } }
            let queue = DispatchQueue(label: "wanted")
            let (titles, title) = AsyncStream.makeStream(of: String.self)
            Realm.asyncOpen(configuration: newer, callbackQueue: queue) { result in
                dispatchPrecondition(condition: .onQueue(queue))
                switch result {
                case .success(let realm): title.yield(realm.objects(OpenedBook.self)[0].title)
                case .failure(let error): Issue.record(error)
                }
                title.finish()
            }
            var found: [String] = []
            for await title in titles { found.append(title) }
            #expect(found == ["old"])
            #expect(migratedOn.withLock { $0 } == false)
            try await waitUntilClosed(newer)
        }
    }

    @Test("on the main queue the Realm is the main actor's")
    @MainActor
    func asyncOpenOnMain() async throws {
        try await withFolder { folder in
            let configuration = configuration(folder)
            // Set and read on the main queue.
            nonisolated(unsafe) var opened: Result<Realm, any Error>?
            await withCheckedContinuation { continuation in
                Realm.asyncOpen(configuration: configuration) {
                    opened = $0
                    continuation.resume()
                }
            }
            let realm = try #require(try opened?.get())
            #expect(try Realm(configuration: configuration) == realm)
            try realm.write { _ = realm.create(OpenedBook.self, value: ["id": 1]) }
        }
    }

    @Test("what is in the way of opening reaches the callback")
    func asyncOpenFails() async throws {
        try await withFolder { folder in
            let text = folder.appendingPathComponent("text.realm")
            try Data(repeating: 65, count: 10_000).write(to: text)
            let configuration = configuration(folder, "text.realm")
            let codes = AsyncStream<Realm.Error.Code?> { stream in
                Realm.asyncOpen(configuration: configuration, callbackQueue: DispatchQueue(label: "callback")) {
                    result in
                    if case .failure(let error) = result { stream.yield((error as? Realm.Error)?.code) }
                    stream.finish()
                }
            }
            for await code in codes { #expect(code == .invalidDatabase) }
        }
    }

    @Test("cancelling one opening cancels all of the file, each once, and none of another file")
    func cancel() async throws {
        try await withFolder { folder in
            let queue = DispatchQueue(label: "suspended")
            // Nothing can be handed over until it is resumed.
            queue.suspend()
            let (said, say) = AsyncStream.makeStream(of: String.self)
            func open(_ name: String) -> Realm.AsyncOpenTask {
                Realm.asyncOpen(configuration: configuration(folder, name), callbackQueue: queue) { result in
                    switch result {
                    case .success: say.yield("\(name) opened")
                    case .failure(let error as POSIXError) where error.code == .ECANCELED:
                        #expect((error as NSError).domain == NSPOSIXErrorDomain)
                        #expect(error.localizedDescription.hasSuffix("Operation canceled"))
                        say.yield("\(name) cancelled")
                    case .failure(let error): say.yield("\(name): \(error)")
                    }
                }
            }
            let first = open("a.realm")
            _ = open("a.realm")
            let other = open("b.realm")
            first.cancel()
            first.cancel()
            queue.resume()
            var heard: [String] = []
            for await line in said {
                heard.append(line)
                if heard.count == 3 { break }
            }
            #expect(heard.sorted() == ["a.realm cancelled", "a.realm cancelled", "b.realm opened"])
            // Too late, and nothing happens.
            other.cancel()
            other.addProgressNotification { _ in }
            try await waitUntilClosed(configuration(folder, "a.realm"))
            try await waitUntilClosed(configuration(folder, "b.realm"))
        }
    }

    // MARK: - Files

    @Test("a seed is copied where no file is, and left alone where one is")
    func seed() async throws {
        try await withFolder { folder in
            let seed = configuration(folder, "seed.realm")
            try write(seed, "from the seed")
            var configuration = configuration(folder.appendingPathComponent("deeper"))
            configuration.seedFilePath = seed.fileURL
            do {
                let realm = try Realm(configuration: configuration)
                #expect(realm.objects(OpenedBook.self).map(\.title) == ["from the seed"])
            }
            try write(configuration, "changed")
            #expect(try Realm(configuration: configuration).objects(OpenedBook.self).map(\.title) == ["changed"])
            #expect(try Realm(configuration: seed).objects(OpenedBook.self).map(\.title) == ["from the seed"])
        }
    }

    @Test("of several that first open one seed at once, each finds what is in it")
    func seedForSeveral() async throws {
        try await withFolder { folder in
            let seed = configuration(folder, "seed.realm")
            try fill(seed, books: 20_000)
            for round in 0..<10 {
                var configuration = configuration(folder, "books \(round).realm")
                configuration.seedFilePath = seed.fileURL
                let opening = configuration
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    do {
                        let count = try Realm(configuration: opening).objects(OpenedBook.self).count
                        #expect(count == 20_000)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.hasSuffix(".part") })
        }
    }

    private func fill(_ configuration: Realm.Configuration, books: Int) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<books { realm.create(OpenedBook.self, value: ["id": id, "title": "Volume \(id)"]) }
        }
    }

    @Test("an encrypted seed gives an encrypted file; a seed that is not there is an error")
    func encryptedSeed() async throws {
        try await withFolder { folder in
            let key = Data((0..<64).map { UInt8($0) })
            var seed = configuration(folder, "seed.realm")
            seed.encryptionKey = key
            try write(seed, "secret")
            var configuration = configuration(folder)
            configuration.seedFilePath = seed.fileURL
            configuration.encryptionKey = key
            do {
                let realm = try Realm(configuration: configuration)
                #expect(realm.objects(OpenedBook.self)[0].title == "secret")
            }
            try await waitUntilClosed(configuration)
            configuration.seedFilePath = folder.appendingPathComponent("missing.realm")
            #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            #expect(!Realm.fileExists(for: configuration))
        }
    }

    @Test("a copy is made for another configuration: with a key, and without one again")
    func writeCopy() async throws {
        try await withFolder { folder in
            let plain = configuration(folder)
            try write(plain, "kept")
            var sealed = configuration(folder, "sealed.realm")
            sealed.encryptionKey = Data(repeating: 7, count: 64)
            try Realm(configuration: plain).writeCopy(configuration: sealed)
            #expect(try Realm(configuration: sealed).objects(OpenedBook.self)[0].title == "kept")
            let open = configuration(folder, "open.realm")
            try Realm(configuration: sealed).writeCopy(configuration: open)
            #expect(try Realm(configuration: open).objects(OpenedBook.self)[0].title == "kept")
            #expect(throws: Realm.Error.self) { try Realm(configuration: sealed).writeCopy(configuration: open) }
            do {
                try Realm(configuration: sealed).writeCopy(configuration: open)
            } catch Realm.Error.fileExists {
            }
            let memory = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [OpenedBook.self])
            #expect(throws: Realm.Error.self) { try Realm(configuration: plain).writeCopy(configuration: memory) }
        }
    }

    @Test("files are asked for, migrated and deleted by their configuration")
    func files() async throws {
        try await withFolder { folder in
            var configuration = configuration(folder)
            #expect(!Realm.fileExists(for: configuration))
            #expect(try Realm.deleteFiles(for: configuration) == false)
            try write(configuration, "old")
            #expect(Realm.fileExists(for: configuration))
            configuration.schemaVersion = 3
            try Realm.performMigration(for: configuration)
            #expect(try schemaVersionAtURL(folder.appendingPathComponent("books.realm")) == 3)
            do {
                let realm = try Realm(configuration: configuration)
                #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
                #expect(realm.objects(OpenedBook.self).count == 1)
            }
            #expect(try Realm.deleteFiles(for: configuration))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    // MARK: - Configurations

    @Test("places exclude each other: what was set last counts")
    func places() {
        let url = URL(fileURLWithPath: "/tmp/a.realm")
        var configuration = Realm.Configuration(fileURL: url)
        configuration.inMemoryIdentifier = "memory"
        #expect(configuration.fileURL == nil && configuration.inMemoryIdentifier == "memory")
        configuration.fileURL = url
        #expect(configuration.fileURL == url && configuration.inMemoryIdentifier == nil)
    }

    @Test("configurations are equal by their settings, and describe themselves without their key")
    func description() {
        var one = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/a.realm"), schemaVersion: 7)
        var other = one
        #expect(one == other)
        other.schemaVersion = 8
        #expect(one != other)
        other = one
        other.seedFilePath = URL(fileURLWithPath: "/tmp/seed.realm")
        #expect(one != other)
        one.encryptionKey = Data(repeating: 65, count: 64)
        let text = "\(one)"
        #expect(text.hasPrefix("Realm.Configuration {\n\tfileURL = /tmp/a.realm;"))
        #expect(text.contains("\tschemaVersion = 7;\n"))
        #expect(!text.contains("AAAA") && text.contains("\tencryptionKey = (64 bytes);\n"))
    }

    @Test("settings that exclude each other stop the program with a sentence")
    func combinations() async {
        let stopped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: "/tmp/none.realm"), readOnly: true, objectTypes: [OpenedBook.self])
            configuration.deleteRealmIfMigrationNeeded = true
            _ = try Realm(configuration: configuration)
        }
        let said = String(decoding: stopped?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Cannot set `readOnly` when `deleteRealmIfMigrationNeeded` is set."))
    }

    // MARK: - Errors

    @Test("errors are told apart by code, as errors of Realm and as NSError")
    func errors() async throws {
        try await withFolder { folder in
            var missing = configuration(folder)
            missing.readOnly = true
            do {
                _ = try Realm(configuration: missing)
                Issue.record("opened")
            } catch Realm.Error.fileNotFound {
            }
            do {
                _ = try Realm(configuration: missing)
            } catch {
                let error = error as NSError
                #expect(error.domain == "io.realm" && error.code == 5)
                #expect(error.userInfo[NSFilePathErrorKey] as? String == missing.fileURL?.path)
                #expect(error.localizedDescription.contains("does not exist"))
            }
        }
    }
}

@Suite("What the logger lets through", .serialized)
struct LoggerTests {
    @Test("levels are set for a category and for those within it")
    func categories() {
        let lines = Mutex<[String]>([])
        let before = Logger.shared
        defer {
            Logger.shared = before
            before.level = .info
        }
        let logger = Logger(function: { level, category, message in
            lines.withLock { $0.append("\(category.rawValue) \(level): \(message)") }
        })
        Logger.shared = logger
        #expect(Logger.logLevel(for: Category.realm) == .info)
        Logger.setLogLevel(.warn, for: Category.Sync.all)
        Logger.setLogLevel(.trace, for: Category.Sync.Client.network)
        #expect(Logger.logLevel(for: Category.Sync.Client.session) == .warn)
        #expect(Logger.logLevel(for: Category.Storage.query) == .info)
        logger.log(level: .info, category: Category.Sync.server, message: "no")
        logger.log(level: .error, category: Category.Sync.server, message: "a")
        logger.log(level: .trace, category: Category.Sync.Client.network, message: "b")
        logger.log(level: .info, message: "c")
        logger.level = .error
        #expect(Logger.logLevel(for: Category.Sync.Client.network) == .error, "the newest word counts")
        logger.log(level: .info, message: "no")
        #expect(
            lines.withLock { $0 } == [
                "Realm.Sync.Server error: a", "Realm.Sync.Client.Network trace: b", "Realm.SDK info: c",
            ])
    }
}
