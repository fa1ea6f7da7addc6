import ArgumentParser
import CausewayFiles

/// An import of a file that Realm wrote.
struct RealmImportOptions: ParsableArguments {
    @Option(help: "A file that Realm wrote, instead of an export. It is not changed.") var fromRealm: String?
    @Option(help: "A file with the key of an encrypted Realm file.") var realmKeyFile: String?
    @Flag(help: "Read the whole Realm file, tell what an import of it would make, and write nothing.")
    var dryRun = false

    func validate() throws {
        if fromRealm == nil, realmKeyFile != nil || dryRun {
            throw ValidationError("--realm-key-file and --dry-run need --from-realm.")
        }
    }

    func run(_ source: String, to options: FileOptions, existing: ObjectImport.Existing) throws {
        let key = try realmKeyFile.map { try FileKey.key(fromFile: $0) }
        let realm = try RealmImport(source, key: key)
        print(realm.plan.text)
        let progress = Progress("objects read")
        guard !dryRun else {
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
