import CausewayJournalPostgreSQL

/// What a newer generation of software brings is switched on once all nodes of a database have it: a node that is older would stop.
enum GenerationSwitch {
    /// Why it has to wait; nil when nothing stands against it.
    ///
    /// - Parameter older: the nodes that are here and do not know the generation. Nodes that are gone do not count: they begin with
    ///   newer software, or say that they are too old.
    static func hindrance(to generation: UInt64, by older: [NodeRegister.Known]) -> String? {
        guard !older.isEmpty else { return nil }
        let names = older.prefix(10).map { "\($0.saying.place) (generation \($0.saying.generation))" }
        let others = older.count > names.count ? " and \(older.count - names.count) others" : ""
        return "These nodes would stop, for their software knows no generation \(generation): "
            + "\(names.joined(separator: ", "))\(others). Update or stop them first."
    }
}
