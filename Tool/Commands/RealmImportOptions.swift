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
        guard writes else {
            let losses = try Progress.of("objects read") { try realm.check(progress: $0) }
            for line in losses { print(line) }
            return
        }
        let (report, losses) = try Progress.of("objects read") {
            try realm.run(to: options.file, key: options.key(), existing: existing, progress: $0)
        }
        for line in losses { print(line) }
        print(report.text)
    }
}
