import CausewayModel
import CausewayWire
import Foundation
import Synchronization

/// Whom the operator has shut out of one database: users and clients.
///
/// The list lies beside the database, in `shut-out.json`, so that it outlasts the server. A restore keeps it: whoever was
/// shut out yesterday must not come back with a backup of last week.
final class ShutOuts: Sendable {
    /// One user, or one client.
    enum Subject: Hashable, Sendable {
        case user(ExactString)
        case client(ClientID)
    }

    struct Entry: Hashable, Sendable {
        var subject: Subject
        /// In milliseconds since 1970.
        var since: UInt64
        /// What the operator has noted. Nobody else is told.
        var note: String?
    }

    struct Failure: Error, Hashable {
        var message: String
        var isFull = false
    }

    static let fileName = "shut-out.json"
    static let entriesMax = 10_000
    static let nameBytesMax = 1_024
    static let noteBytesMax = 512

    private let path: String
    private let state: Mutex<[Subject: Entry]>
    /// Held while the list is changed.
    private let writing = Mutex(())

    /// Reads the list of a database's folder.
    ///
    /// - Throws: when it cannot be read. To go on without it would let everybody in.
    init(folder: String) throws(CommandFailure) {
        path = folder + "/" + Self.fileName
        do {
            state = Mutex(try ShutOutFile.read(path))
        } catch {
            throw CommandFailure(
                "\(path) cannot be read (\(error)), and without it those who were shut out would be let in. Put the file "
                    + "right, or remove it and shut them out again.")
        }
    }

    // MARK: - Asking

    /// Nil for a caller who may come in.
    func failure(user: String) -> SyncFailure? { failure(.user(ExactString(user)), "this user") }

    func failure(client: ClientID) -> SyncFailure? { failure(.client(client), "this device") }

    private func failure(_ subject: Subject, _ words: String) -> SyncFailure? {
        guard state.withLock({ $0[subject] }) != nil else { return nil }
        return SyncFailure(.permissionDenied, "The operator of the server has shut \(words) out of the database.")
    }

    var all: [Entry] { state.withLock { Array($0.values) } }

    // MARK: - Changing

    /// Is on the disk when this returns, and counts from then on.
    func shutOut(_ entry: Entry) throws(Failure) {
        try change { entries throws(Failure) in
            guard entries[entry.subject] != nil || entries.count < Self.entriesMax else {
                throw Failure(
                    message:
                        "\(Self.entriesMax) users and clients are shut out already, and that is the most. Let some in "
                        + "again, or take their tokens at the issuer.", isFull: true)
            }
            // Shut out once more, it stays so since then, and keeps its note where there is no other.
            let before = entries[entry.subject]
            entries[entry.subject] = Entry(
                subject: entry.subject, since: before?.since ?? entry.since, note: entry.note ?? before?.note)
        }
    }

    /// - Returns: whether it was shut out.
    func letIn(_ subject: Subject) throws(Failure) -> Bool {
        try change { entries throws(Failure) in entries.removeValue(forKey: subject) != nil }
    }

    private func change<Outcome: Sendable>(
        _ body: (inout [Subject: Entry]) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        // Who only asks does not wait for the disk.
        try writing.withLock { _ throws(Failure) in
            let entries = state.withLock { $0 }
            var changed = entries
            let outcome = try body(&changed)
            guard changed != entries else { return outcome }
            do throws(DurableFile.Failure) {
                try ShutOutFile.write(changed, to: path)
            } catch {
                throw Failure(message: error.message)
            }
            state.withLock { $0 = changed }
            return outcome
        }
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

    static func read(_ path: String) throws -> [ShutOuts.Subject: ShutOuts.Entry] {
        guard FileManager.default.fileExists(atPath: path) else { return [:] }
        let file = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
        guard file.format == 1 else { throw Malformed() }
        var entries: [ShutOuts.Subject: ShutOuts.Entry] = [:]
        for line in file.entries {
            guard let subject = line.subject else { throw Malformed() }
            entries[subject] = ShutOuts.Entry(subject: subject, since: line.since, note: line.note)
        }
        return entries
    }

    static func write(
        _ entries: [ShutOuts.Subject: ShutOuts.Entry], to path: String
    ) throws(DurableFile.Failure) {
        let lines = entries.values.map(Line.init).sorted { ($0.since, $0.user ?? "") < ($1.since, $1.user ?? "") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(ShutOutFile(entries: lines)) else {
            preconditionFailure("Texts and numbers can be written as JSON.")
        }
        try DurableFile.replace(path, with: data)
    }
}

extension ShutOutFile.Line {
    fileprivate init(_ entry: ShutOuts.Entry) {
        since = entry.since
        note = entry.note
        switch entry.subject {
        case .user(let name): user = name.string
        case .client(let id): client = String(id.rawValue)
        }
    }

    fileprivate var subject: ShutOuts.Subject? {
        if let user { return .user(ExactString(user)) }
        return client.flatMap { UInt64($0) }.map { .client(ClientID($0)) }
    }
}
