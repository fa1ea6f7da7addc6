import Causeway
import Foundation
import Synchronization
import Testing

class LoggedNote: Object {
    @Persisted var text = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What a logger hears. For the logger of the process: each test is a process of its own.
private final class KeptLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func logger(_ level: LogLevel) -> Logger {
        Logger(level: level) { [self] level, category, message in
            kept.withLock { $0.append("\(level) \(category.rawValue) \(message)") }
        }
    }
}

@Suite("What is logged of local work")
struct LocalLogTests {
    @Test("a logger of everything hears of files, migrations, commits and notifications")
    func everything() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let heard = KeptLog()
            Logger.shared = heard.logger(.all)
            func hears(_ beginning: String, _ end: String) -> Bool {
                heard.lines.contains { $0.hasPrefix(beginning) && $0.hasSuffix(end) }
            }
            let url = folder.appendingPathComponent("notes.realm")
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [LoggedNote.self]))
            #expect(heard.lines == ["detail Realm.Storage.Transaction Open file: \(url.path)"])
            let token = realm.objects(LoggedNote.self).observe { _ in }
            try realm.write { _ = realm.create(LoggedNote.self, value: ["text": "a"]) }
            realm.refresh()
            token.invalidate()
            #expect(hears("debug Realm.Storage.Transaction Commit version ", url.path))
            #expect(hears("trace Realm.Storage.Notification Notify 1 observers ", url.path))

            let copy = folder.appendingPathComponent("copy.realm")
            try realm.writeCopy(toFile: copy)
            var configuration = Realm.Configuration(fileURL: copy, objectTypes: [LoggedNote.self])
            configuration.schemaVersion = 3
            configuration.migrationBlock = { _, _ in }
            configuration.shouldCompactOnLaunch = { _, _ in true }
            let migrated = try Realm(configuration: configuration)
            #expect(migrated.objects(LoggedNote.self).count == 1)
            #expect(hears("detail Realm.Storage.Transaction Compact file: \(copy.path), ", " bytes used"))
            #expect(
                hears(
                    "detail Realm.Storage.Transaction Migrate file: ",
                    "\(copy.path) from schema version 0 to 3"))
        }
    }

    @Test("a level that passes for one category only, and one that is set later, are obeyed")
    func levels() async {
        await #expect(processExitsWith: .success) {
            let heard = KeptLog()
            let logger = heard.logger(.info)
            Logger.shared = logger
            let configuration = Realm.Configuration(inMemoryIdentifier: "log", objectTypes: [LoggedNote.self])
            let realm = try Realm(configuration: configuration)
            func write() throws { try realm.write { _ = realm.create(LoggedNote.self) } }
            try write()
            #expect(heard.lines.isEmpty)
            Logger.setLogLevel(.debug, for: Category.Storage.transaction)
            try write()
            #expect(heard.lines.count == 1 && heard.lines.first?.contains("Commit version") == true)
            logger.level = .warn
            try write()
            #expect(heard.lines.count == 1)
            logger.level = .debug
            try write()
            #expect(heard.lines.count == 2)
        }
    }
}
