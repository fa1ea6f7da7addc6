import ArgumentParser
import CausewayIdentity
import CausewayModel
import CausewayObjectStore
import CausewayStore
import CausewayStoreEmbedded
import Foundation

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads whole databases and tells everything in them that is damaged or contradicts itself.",
        discussion: """
            Compares pages with their checksums, indexes with values, links with backlinks, collections with their parts \
            and counts with contents, of the objects and of the accounts. Then compares what the server keeps beside the \
            objects: stamps, the ids of elements, tombstones, the history with its images, devices and what they were refused. \
            Nothing is written, and the server may run meanwhile. Ends with 1 if anything is found.
              sync-server verify --configuration sync-server.yaml
              sync-server verify /backup/flights
            """
    )

    @Option(name: [.short, .customLong("configuration")], help: "The configuration file whose databases to read.")
    var file: String?

    @Argument(help: "The folder of one database, or a file of objects.")
    var folder: String?

    func run() throws {
        var hasProblems = false
        for path in try paths() {
            print("\(path):")
            hasProblems = try !verify(path) || hasProblems
        }
        if hasProblems { throw ExitCode.failure }
    }

    private func paths() throws -> [String] {
        switch (file, folder) {
        case (let file?, nil):
            return try ConfigurationFile.read(file).databases.flatMap { Self.files(in: $0.folder) }
        case (nil, let folder?):
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
                throw CommandFailure("There is no '\(folder)'.")
            }
            return isFolder.boolValue ? Self.files(in: folder) : [folder]
        default:
            throw CommandFailure("Name a configuration file with --configuration, or a folder, and not both.")
        }
    }

    /// The objects of a database, and its accounts where it has any.
    private static func files(in folder: String) -> [String] {
        let accounts = folder + "/" + Accounts.fileName
        return [DatabaseFolder(folder).objectsPath]
            + (FileManager.default.fileExists(atPath: accounts) ? [accounts] : [])
    }

    /// Whether the file is sound.
    private func verify(_ path: String) throws -> Bool {
        guard FileManager.default.fileExists(atPath: path) else {
            print("  was never served: there is no file yet")
            return true
        }
        var options = ObjectStore.Options()
        options.readOnly = true
        do throws(StoreError) {
            let store = try ObjectStore.open(path: path, options: options)
            defer { store.close() }
            var tenths = 0
            let report = try store.verify { done in
                guard ShownProgress.isTerminal, Int(done * 10) > tenths else { return }
                tenths = Int(done * 10)
                print("  \(tenths * 10) %")
            }
            guard tell(report.problems, report.problemCount) else { return false }
            print("  is sound: \(report.objects) objects on \(report.pages) pages")
            return path.hasSuffix(Accounts.fileName) ? true : verifyRecord(store)
        } catch {
            print("  cannot be opened: \(error.message)")
            return false
        }
    }

    /// Whether what the server keeps beside the objects fits them.
    private func verifyRecord(_ store: ObjectStore) -> Bool {
        do throws(StoreFailure) {
            let record = try StoreEmbedded.verify(store)
            guard record.epoch != 0 else {
                print("  holds no server's record")
                return true
            }
            guard tell(record.problems, record.problemCount) else { return false }
            print("  its record is sound: version \(record.version.rawValue)")
            return true
        } catch {
            print("  its record cannot be read: \(error.message)")
            return false
        }
    }

    /// Prints problems. Returns whether there are none.
    private func tell(_ problems: [String], _ count: Int) -> Bool {
        guard count > 0 else { return true }
        for problem in problems { print("  \(problem)") }
        if count > problems.count { print("  and \(count - problems.count) more") }
        print("  has \(count) problems")
        return false
    }
}
