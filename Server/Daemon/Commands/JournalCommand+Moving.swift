import ArgumentParser
import CausewayEnvironment
import CausewayIdentity
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayStore
import CausewayStoreEmbedded
import Foundation

// Databases that go into a journal, and come out of one.

extension JournalCommand {
    private static func sayingWhy(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as StoreFailure {
            throw CommandFailure(failure.message)
        } catch let failure as JournalFailure {
            throw CommandFailure(failure.message)
        } catch let failure as AccountError {
            throw CommandFailure(failure.message)
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Moves a database of one server into the journal. Its devices go on where they were.",
            discussion: """
                While the server does not run. The folder then holds the replica of this server as a node; other nodes begin from a
                snapshot in the journal. The way back is `sync-server journal restore`.
                A journal of that name stays, unless you say --replace: then all nodes begin again from what is imported, and what the
                journal had is gone. So a database goes back to an earlier moment, which `journal restore` has made.
                """)

        @OptionGroup var option: ConfigurationOption

        @Option(help: "The database's name in the configuration.")
        var database: String

        @Flag(help: "Put what is imported in the place of a journal of this name.")
        var replace = false

        /// What follows the name of a file that was replaced.
        private static let aside = ".before-journal"

        private var taken: CommandFailure {
            CommandFailure(
                "There is a journal of '\(database)' already. Name the database otherwise, or say --replace if what the journal has "
                    + "may go. A new node of it begins with an empty folder, and imports nothing.")
        }

        func run() throws {
            let configuration = try option.read()
            let (journal, folder) = (
                try JournalCommand.journal(of: configuration), try configuration.folder(of: database)
            )
            let lock = try FolderLock(folder)
            guard !DatabaseFolder(folder).hasNoObjects else {
                throw CommandFailure("The folder \(folder) has no database. A node that starts makes an empty one.")
            }
            let copies = folder + "/moving-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: copies) }
            try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
            let copy = DatabaseFolder(copies).objectsPath
            try JournalCommand.sayingWhy {
                let record = try StoreEmbedded.open(folder: folder, epochSeed: 1)
                defer { record.close() }
                try record.copy(toFolder: copies)
                let number = try StoreEmbedded.becomeReplica(
                    folder: copies, shutOuts: try ShutOuts.list(inFolder: folder))
                guard try !PostgreSQLJournal.exists(number, besides: database, journal.settings) else {
                    throw CommandFailure(
                        "This database is in the journal under another name: it was made from it, and devices could not tell the two "
                            + "apart. Give the copy a PostgreSQL database of its own, or remove the other one: sync-server journal "
                            + "remove.")
                }
                let known = try PostgreSQLJournal.find(
                    database, journal.settings, draw: { SystemRandom().nextNonZero() })
                if let known, !replace { guard try known.isEmpty() else { throw taken } }
                try SharedAccounts(of: database, journal).take(fromFolder: folder, of: database, replaces: replace)
                let isNew = try PostgreSQLJournal.begin(
                    database, of: number, with: copy, replaces: replace, journal.settings,
                    incarnation: SystemRandom().nextNonZero())
                guard isNew else { throw taken }
            }
            let objects = DatabaseFolder(folder).objectsPath
            let aside = objects + Self.aside
            try FileManager.default.moveItem(atPath: objects, toPath: aside)
            try FileManager.default.moveItem(atPath: copy, toPath: objects)
            // The journal has what they say.
            for name in [Accounts.fileName, ShutOuts.fileName] {
                let path = folder + "/" + name
                guard FileManager.default.fileExists(atPath: path) else { continue }
                try FileManager.default.moveItem(atPath: path, toPath: path + Self.aside)
            }
            _ = consume lock
            print("\(database): is in the journal. What was there before lies in \(aside)")
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a database of one server from the journal, as it is now or as it was at a time.",
            discussion: """
                Nodes may run meanwhile: nothing of the journal changes. Accounts come as they are now. A server without a section 'journal' serves the folder, or
                `sync-server journal import` moves it into a journal of another name.
                  sync-server journal restore --database flights --at 2026-11-29T09:30:00Z --to /var/lib/restored
                """)

        @OptionGroup var option: ConfigurationOption

        @Option(help: "The database's name.")
        var database: String

        @Option(help: "The time, as 2026-11-29T09:30:00Z; without it, now.")
        var at: String?

        @Option(help: "A folder that is not there yet, or empty.")
        var to: String

        func run() throws {
            let journal = try JournalCommand.journal(of: try option.read())
            var time = Date.now
            if let at {
                guard let parsed = try? Date(at, strategy: .iso8601) else {
                    throw CommandFailure("'\(at)' is no time. Write it as 2026-11-29T09:30:00Z.")
                }
                guard parsed <= time.addingTimeInterval(60) else {
                    throw CommandFailure("\(at) is still to come. For what is there now, leave --at out.")
                }
                time = parsed
            }
            try FileManager.default.createDirectory(atPath: to, withIntermediateDirectories: true)
            guard DatabaseFolder(to).hasNoObjects else {
                throw CommandFailure("The folder \(to) has a database already. Take another folder.")
            }
            try JournalCommand.sayingWhy {
                guard
                    let found = try PostgreSQLJournal.find(
                        database, journal.settings, draw: { SystemRandom().nextNonZero() })
                else {
                    throw CommandFailure(
                        "There is no journal of '\(database)'. Those there are: sync-server journal status")
                }
                let position = try restore(found, at: time)
                try ShutOuts.write(try StoreEmbedded.becomeRecord(folder: to), toFolder: to)
                try SharedAccounts(of: database, journal).give(toFolder: to, of: database)
                print("\(database): entry \(position) is in \(to)")
            }
        }

        /// - Returns: the last entry that was applied.
        private func restore(_ journal: PostgreSQLJournal, at time: Date) throws -> UInt64 {
            let end = try journal.position(at: time.timeIntervalSince1970)
            let start = try journal.snapshots().first { $0.position <= end }
            if let start {
                try journal.load(start, into: DatabaseFolder(to).objectsPath)
            } else if end == 0 {
                throw try nothing(in: journal)
            }
            let replica = try StoreEmbedded.openReplica(folder: to, of: journal.database)
            defer { replica.close() }
            var mark = try replica.mark
            while mark.position < end {
                let entries = try journal.read(after: mark.position, limit: Int(clamping: min(end - mark.position, 64)))
                guard !entries.isEmpty else { break }
                for stored in entries {
                    guard stored.chain == mark.chain.followed(by: stored.bytes, at: stored.position) else {
                        throw CommandFailure(
                            "Entry \(stored.position) does not follow from the one before: the journal is damaged.")
                    }
                    let entry = try JournalEntry(encoded: stored.bytes)
                    mark = mark.followed(by: entry, stored)
                    _ = try replica.apply(entry, to: mark)
                }
            }
            return mark.position
        }

        private func nothing(in journal: PostgreSQLJournal) throws(JournalFailure) -> CommandFailure {
            guard let oldest = try journal.oldestTime() else {
                return CommandFailure("The journal of '\(database)' has no entries: nobody has written into it yet.")
            }
            let time = Date(timeIntervalSince1970: oldest.rounded(.up)).formatted(.iso8601)
            return CommandFailure(
                "The journal of '\(database)' keeps nothing of that time. Its oldest entry is of \(time): give that time or a "
                    + "later one with --at.")
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes the journal of a database, with its accounts and snapshots, for good.",
            discussion: """
                End its nodes first, or take the database out of their configuration: a node that still has it begins an empty one. The
                replicas in their folders stay. Without --confirm nothing is removed.
                """)

        @OptionGroup var option: ConfigurationOption

        @Option(help: "The database's name in the journal.")
        var database: String

        @Option(help: "The name once more.")
        var confirm: String?

        func run() throws {
            let journal = try JournalCommand.journal(of: try option.read())
            guard confirm == database else {
                throw CommandFailure(
                    "Nothing was removed. If the journal of '\(database)' shall go, say --confirm \(database)")
            }
            try JournalCommand.sayingWhy {
                guard try PostgreSQLJournal.remove(database, journal.settings) else {
                    throw CommandFailure("There is no journal of '\(database)'.")
                }
                print("\(database): the journal was removed")
            }
        }
    }
}
