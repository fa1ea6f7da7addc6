import ArgumentParser
import CausewayFiles

/// What only imports of Realm's own files have.
struct RealmImportOptions: ParsableArguments {
    @Option(help: "A file with the key of an encrypted Realm file.") var realmKeyFile: String?

    /// - Parameter writes: false only reads the whole file, and tells what an import of it would make.
    func run(_ source: String, to options: FileOptions, existing: ObjectImport.Existing, writes: Bool) throws {
        let key = try realmKeyFile.map { try FileKey.key(fromFile: $0) }
        let realm = try RealmImport(source, key: key)
        print(realm.plan.text)
        let progress = Progress("objects read")
        guard writes else {
            let losses = try {
                defer { progress.end() }
                return try realm.check(progress: progress.tell)
            }()
            for line in losses { print(line) }
            return
        }
        let (report, losses) = try {
            defer { progress.end() }
            return try realm.run(
                to: options.file, key: options.key(), existing: existing, progress: progress.tell)
        }()
        for line in losses { print(line) }
        print(report.text)
    }
}
