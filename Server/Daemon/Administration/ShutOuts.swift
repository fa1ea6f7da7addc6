import CausewayModel
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import CausewayWire
import Foundation
import Synchronization

/// Whom the operator has shut out of one database: users and clients.
///
/// On a server alone the list lies beside the database, in `shut-out.json`, so that it outlasts the server. A restore keeps it:
/// whoever was shut out yesterday must not come back with a backup of last week. On nodes it is in the journal, and counts on all
/// of them.
final class ShutOuts: Sendable {
    static let fileName = "shut-out.json"
    static let nameBytesMax = 1_024
    static let noteBytesMax = 512

    private enum Home {
        case file(path: String)
        case journal(ServedNode)
    }

    private let home: Home
    private let state = Mutex<[ShutOut.Subject: ShutOut]>([:])
    /// Held while the list is changed.
    private let writing = Mutex(())

    /// Reads the list of a database's folder, or of its journal.
    ///
    /// - Throws: when it cannot be read. To go on without it would let everybody in.
    init(folder: String, _ node: ServedNode? = nil) throws(CommandFailure) {
        let path = folder + "/" + Self.fileName
        home = if let node { .journal(node) } else { .file(path: path) }
        do {
            try refresh()
        } catch {
            guard node == nil else {
                throw CommandFailure(
                    "Those who are shut out cannot be read from the replica in \(folder) (\(error)). Delete it: the node makes "
                        + "it anew.")
            }
            throw Self.unreadable(path, error)
        }
    }

    private static func unreadable(_ path: String, _ error: any Error) -> CommandFailure {
        CommandFailure(
            "\(path) cannot be read (\(error)), and without it those who were shut out would be let in. Put the file right, or "
                + "remove it and shut them out again.")
    }

    /// Reads the list again: another node may have changed it.
    func refresh() throws {
        let list =
            switch home {
            case .file(let path): try ShutOutFile.read(path)
            case .journal(let node): try node.replica.shutOuts()
            }
        state.withLock { $0 = Dictionary(list.map { ($0.subject, $0) }) { _, last in last } }
    }

    // MARK: - Asking

    /// Nil for a caller who may come in.
    func failure(user: String) -> SyncFailure? { failure(.user(ExactString(user)), "this user") }

    func failure(client: ClientID) -> SyncFailure? { failure(.client(client), "this device") }

    private func failure(_ subject: ShutOut.Subject, _ words: String) -> SyncFailure? {
        guard state.withLock({ $0[subject] }) != nil else { return nil }
        return SyncFailure(.permissionDenied, "The operator of the server has shut \(words) out of the database.")
    }

    var all: [ShutOut] { state.withLock { Array($0.values) } }

    // MARK: - Changing

    /// Is durable when this returns, and counts from then on. Waits for the disk, or for the journal.
    func shutOut(_ shutOut: ShutOut) throws(StoreFailure) {
        try change(
            inFile: { list throws(StoreFailure) in
                let before = list[shutOut.subject]
                guard before != nil || list.count < ShutOut.countMax else { throw ShutOut.tooMany }
                list[shutOut.subject] = shutOut.after(before)
            },
            inJournal: { record throws(StoreFailure) in try record.shutOut(shutOut) })
    }

    /// - Returns: whether it was shut out.
    func letIn(_ subject: ShutOut.Subject) throws(StoreFailure) -> Bool {
        try change(
            inFile: { $0.removeValue(forKey: subject) != nil },
            inJournal: { record throws(StoreFailure) in try record.letIn(subject) })
    }

    private func change<Outcome: Sendable>(
        inFile: (inout [ShutOut.Subject: ShutOut]) throws(StoreFailure) -> Outcome,
        inJournal: (StoreReplicated) throws(StoreFailure) -> Outcome
    ) throws(StoreFailure) -> Outcome {
        // Who only asks does not wait for the disk.
        try writing.withLock { _ throws(StoreFailure) in
            switch home {
            case .file(let path):
                let list = state.withLock { $0 }
                var changed = list
                let outcome = try inFile(&changed)
                guard changed != list else { return outcome }
                try ShutOutFile.write(Array(changed.values), to: path)
                state.withLock { $0 = changed }
                return outcome
            case .journal(let node):
                let outcome = try inJournal(node.record)
                do {
                    try refresh()
                } catch {
                    throw StoreFailure(.fault, "\(error)")
                }
                return outcome
            }
        }
    }

    // MARK: - Moving

    /// The list in a folder's file, on its way into a journal.
    static func list(inFolder folder: String) throws(CommandFailure) -> [ShutOut] {
        let path = folder + "/" + fileName
        do {
            return try ShutOutFile.read(path)
        } catch {
            throw unreadable(path, error)
        }
    }

    /// Writes the list that a journal had beside the database that was made of it.
    static func write(_ list: [ShutOut], toFolder folder: String) throws(StoreFailure) {
        if !list.isEmpty { try ShutOutFile.write(list, to: folder + "/" + fileName) }
    }
}

/// The list on the disk: JSON, in which everybody can read who is shut out.
private struct ShutOutFile: Codable {
    var format = 1
    var entries: [Line]

    struct Line: Codable {
        var user: String?
        /// A number of 64 bits, as text: more than every reader of JSON keeps.
        var client: String?
        var since: UInt64
        var note: String?
    }

    struct Malformed: Error {}

    static func read(_ path: String) throws -> [ShutOut] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let file = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
        guard file.format == 1 else { throw Malformed() }
        return try file.entries.map { line in
            guard let subject = line.subject else { throw Malformed() }
            return ShutOut(subject, since: line.since, note: line.note)
        }
    }

    static func write(_ list: [ShutOut], to path: String) throws(StoreFailure) {
        let lines = list.map(Line.init).sorted { ($0.since, $0.user ?? "") < ($1.since, $1.user ?? "") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(ShutOutFile(entries: lines)) else {
            preconditionFailure("Texts and numbers can be written as JSON.")
        }
        do throws(DurableFile.Failure) {
            try DurableFile.replace(path, with: data)
        } catch {
            throw StoreFailure(.fault, error.message)
        }
    }
}

extension ShutOutFile.Line {
    fileprivate init(_ entry: ShutOut) {
        since = entry.since
        note = entry.note
        switch entry.subject {
        case .user(let name): user = name.string
        case .client(let id): client = String(id.rawValue)
        }
    }

    fileprivate var subject: ShutOut.Subject? {
        if let user { return .user(ExactString(user)) }
        return client.flatMap { UInt64($0) }.map { .client(ClientID($0)) }
    }
}
