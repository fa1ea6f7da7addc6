extension Configuration {
    /// Backups that the server makes by itself, of every database.
    struct Backups: Hashable, Sendable {
        var folder: String
        var everyHours = 24
        /// How many backups of each database stay.
        var keep = 14
        /// How fast a backup is copied at most.
        var megabytesPerSecond = 32
    }

    /// The section `backups`; nil when there is none.
    static func readBackups(_ root: inout Section) -> Backups? {
        guard let node = root.node("backups") else { return nil }
        var section = Section(node, path: "backups")
        var backups = Backups(
            folder: section.requiredText("folder", "Name the folder for the backups of all databases."))
        backups.everyHours = section.number("everyHours", 1...8_760, default: backups.everyHours)
        backups.keep = section.number("keep", 1...10_000, default: backups.keep)
        backups.megabytesPerSecond = section.number(
            "megabytesPerSecond", 1...100_000, default: backups.megabytesPerSecond)
        root.take(section.finish())
        return backups.folder.isEmpty ? nil : backups
    }
}

extension Configuration.Backups {
    /// In a line.
    var summary: String { "every \(everyHours) hours to \(folder), of each database the newest \(keep) are kept" }
}
