import Causeway
import CausewayPrograms
import Dispatch
import Foundation
import Synchronization
import Testing

class PeerNote: Object {
    @Persisted(primaryKey: true) var id: Int
}

class PeerDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var a: Int
    @Persisted var b: Int
}

class PeerOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var dog: PeerDog?
}

class PeerPage: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var lines: List<String>
    @Persisted var body: Text
}

@Suite("Two processes with one Realm", .serialized)
struct TwoProcessTests {
    @Test("each hears of the other's commits by its observers, soon")
    func bothWays() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent("shared.realm"))
        configuration.objectTypes = [PeerNote.self]
        let queue = DispatchQueue(label: "here")
        let here = try queue.sync { try Here(configuration, queue) }
        let peer = try ChildProcess(
            name: "CausewayRealmPeer", program: Self.peer, arguments: [configuration.fileURL?.path ?? ""],
            log: folder.appendingPathComponent("errors.txt"))
        defer { peer.kill() }
        #expect(here.heard(atLeast: 0) != nil)

        var fromPeer: [Double] = []
        for id in 0..<20 {
            peer.send("add \(id)")
            let added = try number(peer.nextLine(), "added \(id)")
            let heard = try #require(here.heard(atLeast: id + 1), "commit \(id) of the other process was not heard of")
            fromPeer.append(Double(heard) - Double(added))
        }
        peer.send("watch")
        _ = try number(peer.nextLine(), "saw 20")
        var toPeer: [Double] = []
        for id in 20..<40 {
            let added = try queue.sync { try here.add(id) }
            let saw = try number(peer.nextLine(), "saw \(id + 1)")
            toPeer.append(Double(saw) - Double(added))
        }
        print(
            "from commit to observer in the other process, median: \(Self.median(fromPeer)) ms here, "
                + "\(Self.median(toPeer)) ms there")
        queue.sync { here.finish() }
        #expect(try Realm.verify(configuration).problems == [])
    }

    @Test("undo finds its elements again between those that another process has added and removed")
    func undo() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent("pages.realm"))
        configuration.objectTypes = [PeerPage.self]
        let realm = try Realm(configuration: configuration)
        let page = try realm.write {
            realm.create(PeerPage.self, value: ["id": 1, "lines": ["a", "b", "c", "d"]] as [String: Any])
        }
        realm.undo.isRecording = true
        let peer = try ChildProcess(
            name: "CausewayRealmPeer", program: Self.peer, arguments: [configuration.fileURL?.path ?? "", "pages"],
            log: folder.appendingPathComponent("errors.txt"))
        defer { peer.kill() }
        try realm.write {
            page.lines.remove(at: 2)
            page.lines.insert("mine", at: 1)
            page.body.append("hello")
        }
        for line in ["insert 0 x", "insert 3 y", "remove 1", "type 5 hello", "type 0 hello", "type 7 -"] {
            peer.send(line)
            #expect(try peer.nextLine()?.hasPrefix("done") == true)
        }
        realm.refresh()
        #expect(Array(page.lines) == ["x", "mine", "y", "b", "d"] && page.body.string == "hellohe-llohello")
        try realm.undo.undo()
        #expect(Array(page.lines) == ["x", "y", "b", "c", "d"] && page.body.string == "hello-hello")
        try realm.undo.redo()
        #expect(Array(page.lines) == ["x", "mine", "y", "b", "d"] && page.body.string == "hellohe-llohello")
        #expect(try realm.verify().problems.isEmpty)
    }

    @Test("a program that migrates the file leaves the one that has it open where it stands, and tells it")
    func migration() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("dogs.realm"), schemaVersion: 1)
        configuration.objectTypes = [PeerDog.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<3000 { realm.create(PeerDog.self, value: ["id": id, "a": id * 2, "b": id % 100]) }
        }
        let dog = try #require(realm.object(ofType: PeerDog.self, forPrimaryKey: 5))
        let peer = try ChildProcess(
            name: "CausewayRealmPeer", program: Self.peer, arguments: [configuration.fileURL?.path ?? "", "newer"],
            log: folder.appendingPathComponent("errors.txt"))
        defer { peer.kill() }
        _ = try number(peer.nextLine(), "migrated 3000")

        for _ in 0..<2 {
            #expect(!realm.refresh())
            #expect(dog.a == 10 && dog.b == 5)
            #expect(realm.objects(PeerDog.self).where { $0.b == 7 }.count == 30)
            do {
                try realm.write { dog.a = 7 }
                Issue.record("a program wrote to a file that it does not know any more")
            } catch Realm.Error.schemaMismatch {
            }
            #expect(realm.freeze().objects(PeerDog.self).where { $0.a == 10 }.count == 1)
        }
        peer.send("count 7")
        _ = try number(peer.nextLine(), "counted 30")
        peer.send("name 5 Rex")
        _ = try number(peer.nextLine(), "named a-was-10")
        #expect(!realm.refresh() && dog.a == 10)
        let report = try realm.verify()
        #expect(report.problems == [] && report.objectCount == 3000)
        // Opened anew, its classes are refused before anything is read.
        realm.invalidate()
        #expect(throws: Realm.Error.self) { try Realm.performMigration(for: other(configuration)) }
    }

    @Test("a class that the one has not used yet when the other migrates it stays what it was, and so do links to it")
    func unusedClass() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("owners.realm"), schemaVersion: 1)
        configuration.objectTypes = [PeerOwner.self, PeerDog.self]
        try fill(configuration)
        let realm = try Realm(configuration: configuration)
        let owners = realm.objects(PeerOwner.self)
        let sevens = owners.where { $0.dog.b == 7 }
        let tens = owners.where { $0.dog.a == 10 }
        #expect(owners.count == 300 && sevens.count == 3)
        let peer = try ChildProcess(
            name: "CausewayRealmPeer", program: Self.peer, arguments: [configuration.fileURL?.path ?? "", "newer"],
            log: folder.appendingPathComponent("errors.txt"))
        defer { peer.kill() }
        _ = try number(peer.nextLine(), "migrated 300")

        for _ in 0..<2 {
            #expect(!realm.refresh())
            #expect(sevens.map(\.id) == [7, 107, 207] && tens.map(\.id) == [5])
            let error = #expect(throws: Realm.Error.self) { try realm.write { owners[0].dog?.a = 7 } }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.localizedDescription.contains("'PeerDog.a' has been removed") == true)
            // The first use of the class.
            #expect(realm.objects(PeerDog.self).where { $0.a == 10 }.map(\.b) == [5])
            #expect(owners[5].dog?.a == 10 && realm.freeze().objects(PeerOwner.self)[8].dog?.b == 8)
        }
        peer.send("count 7")
        _ = try number(peer.nextLine(), "counted 3")
        #expect(try realm.verify().problems == [])
    }

    /// The Realm that writes is gone when this returns.
    private func fill(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<300 {
                let dog = realm.create(PeerDog.self, value: ["id": id, "a": id * 2, "b": id % 100])
                realm.create(PeerOwner.self, value: ["id": id, "dog": dog])
            }
        }
    }

    /// The same file for somebody else here, who asks for it under another set of classes.
    private func other(_ configuration: Realm.Configuration) -> Realm.Configuration {
        var result = configuration
        result.objectTypes = [PeerDog.self, PeerNote.self]
        return result
    }

    /// The time at the end of a line that begins with these words.
    private func number(_ line: String?, _ beginning: String) throws -> UInt64 {
        let line = try #require(line, "the other process has ended")
        try #require(line.hasPrefix(beginning + " "), "\(line) instead of \(beginning)")
        return try #require(line.split(separator: " ").last.flatMap { UInt64($0) })
    }

    private static func median(_ nanoseconds: [Double]) -> String {
        String(format: "%.2f", nanoseconds.sorted()[nanoseconds.count / 2] / 1e6)
    }

    private static let peer = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CausewayRealmPeer").path
}

/// This process's Realm, on a queue, and what its observer heard.
///
/// @unchecked: the Realm and the token are used on the queue alone, the condition guards the rest.
private final class Here: @unchecked Sendable {
    private let realm: Realm
    private let condition = NSCondition()
    private var count = -1
    private var time: UInt64 = 0
    private var token: NotificationToken?

    init(_ configuration: Realm.Configuration, _ queue: DispatchQueue) throws {
        realm = try Realm(configuration: configuration, queue: queue)
        token = realm.objects(PeerNote.self).observe(on: queue) { [weak self] change in
            switch change {
            case .initial(let notes): self?.note(notes.count)
            case .update(let notes, _, _, _): self?.note(notes.count)
            case .error(let error): Issue.record("\(error)")
            }
        }
    }

    private func note(_ count: Int) {
        condition.lock()
        (self.count, time) = (count, DispatchTime.now().uptimeNanoseconds)
        condition.broadcast()
        condition.unlock()
    }

    /// When the observer first heard of so many notes; nil when it does not.
    func heard(atLeast wanted: Int) -> UInt64? {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date().addingTimeInterval(60)
        while count < wanted {
            guard condition.wait(until: deadline) else { return nil }
        }
        return time
    }

    /// - Returns: when the commit had returned.
    func add(_ id: Int) throws -> UInt64 {
        try realm.write { _ = realm.create(PeerNote.self, value: ["id": id]) }
        return DispatchTime.now().uptimeNanoseconds
    }

    func finish() {
        token?.invalidate()
    }
}
