import ArgumentParser
import Causeway
import Foundation
import Synchronization

/// Works through a file that is larger than what the process may keep: the pages of the file belong to the system, which
/// takes them back when it wants them; what the process itself holds must stay small. The pages of an encrypted file are
/// the process's own once they are decrypted, and it must give them back.
@main
struct MemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-memory")

    @Option(help: "Size of the file, about.") var megabytes = 400
    @Option(
        help: "What the process may hold beside the file's pages, in MB; a quarter of it, three quarters if encrypted.")
    var limit: Int?
    @Flag(help: "Encrypt the file.") var encrypted = false
    @Option(help: .hidden) var write: String?

    func validate() throws {
        guard megabytes > 0, (limit ?? 1) > 0 else { throw ValidationError("Take a file and a limit above zero.") }
    }

    func run() throws {
        if let write { return try fill(write) }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-memory-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("large.realm").path
        // By a process of its own: what writing needed must not be counted.
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        writer.arguments = ["--write", path, "--megabytes", String(megabytes)] + (encrypted ? ["--encrypted"] : [])
        try writer.run()
        writer.waitUntilExit()
        guard writer.terminationStatus == 0 else { throw ExitCode.failure }
        let limit = limit ?? (encrypted ? megabytes * 3 / 4 : megabytes / 4)
        let peak = try work(path)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print(
            "causeway-memory: \(encrypted ? "an encrypted file" : "a file") of \(size >> 20) MB, at most \(peak >> 10) MB "
                + "beside its pages, limit \(limit) MB")
        guard size >> 20 >= megabytes * 3 / 4, peak >> 10 <= limit else { throw ExitCode.failure }
    }

    private var count: Int { megabytes << 20 / Sample.sizeBytes }

    private func fill(_ path: String) throws {
        let realm = try open(path, encrypted: encrypted)
        let step = 20_000
        for first in stride(from: 0, to: count, by: step) {
            try realm.write {
                for number in first..<min(first + step, count) { realm.add(Sample(number: number)) }
            }
        }
    }

    /// - Returns: the most that the process held beside the file's pages, in KB.
    private func work(_ path: String) throws -> Int {
        let watch = MemoryWatch()
        let realm = try open(path, encrypted: encrypted)
        let samples = realm.objects(Sample.self)
        func say(_ what: String, _ answer: Int) {
            print("\(what): \(answer), \(watch.now >> 10) MB held, \(watch.pages >> 10) MB of the file's pages")
        }
        say("objects", samples.count)
        say("a number is compared", samples.filter("value > 50000").count)
        say("text is searched", samples.filter("text CONTAINS '99'").count)
        say("bytes are searched", samples.filter("payload ENDSWITH B64\"AAA=\"").count)
        let sum: Double = samples.sum(ofProperty: "value")
        say("a column is summed up", Int(sum))
        let part = samples.filter("kind == 3").sorted(byKeyPath: "text")
        say("a part is sorted by text", part.prefix(1000).reduce(0) { $0 &+ $1.text.utf8.count })
        say("every object is read", samples.reduce(0) { $0 &+ $1.payload.count &+ $1.text.utf8.count })
        // The same in many transactions, some of which stay open for a while.
        var frozen: [Realm] = []
        var read = 0
        for first in stride(from: 0, to: count, by: count / 40) {
            try realm.write { realm.add(Sample(number: count + first)) }
            let current = realm.freeze()
            frozen = frozen.suffix(3) + [current]
            let part = current.objects(Sample.self).filter("id BETWEEN {\(first), \(first + count / 40 - 1)}")
            read = part.reduce(read) { $0 &+ $1.payload.count &+ $1.text.utf8.count }
        }
        say("every object is read, in many transactions", read)
        return watch.end()
    }
}

/// Looks again and again at what this process holds.
///
/// `RssAnon` is what no file stands behind: heap, stacks. Pages of the mapped file are `RssFile`.
private final class MemoryWatch: Sendable {
    private let peak = Atomic(0)
    private let hasEnded = Atomic(false)

    init() {
        Thread.detachNewThread { [self] in
            while !hasEnded.load(ordering: .relaxed) {
                note()
                usleep(5000)
            }
        }
    }

    var now: Int { Self.read("RssAnon") }
    var pages: Int { Self.read("RssFile") }

    func end() -> Int {
        hasEnded.store(true, ordering: .relaxed)
        note()
        return peak.load(ordering: .relaxed)
    }

    private func note() {
        peak.max(Self.read("RssAnon"), ordering: .relaxed)
    }

    private static func read(_ field: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
