import ArgumentParser
import CausewayModel
import CausewayObjectStore
import CausewayQuery
import Foundation

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Looks into a database, whether the server runs or not.",
        discussion: """
            Prints one JSON object a line. A link shows the primary key of its object, Data base 64 in B64"…", a Date \
            T<seconds>:<nanoseconds>.
              sync-server query --database flights --class Flight --filter "origin == 'JFK'" --count
            """
    )

    @OptionGroup var place: DatabaseOption

    @Option(
        name: .customLong("class"), help: "The class to look at. Without one, all classes and their counts are listed.")
    var className: String?

    @Option(help: "A predicate, as in a device's filter.")
    var filter: String?

    @Option(help: "A key path to sort by.")
    var sort: String?

    @Flag(help: "The largest first, with --sort.")
    var descending = false

    @Option(help: "How many objects to print at most.")
    var limit = 100

    @Flag(help: "Print only how many there are.")
    var count = false

    func run() throws {
        let path = try place.servedFolder().file
        var options = ObjectStore.Options()
        options.readOnly = true
        let store = try ObjectStore.open(path: path, options: options)
        defer { store.close() }
        let transaction = try store.read()
        defer { transaction.end() }
        guard let className else {
            for table in transaction.tables where table.nestedKind == nil {
                print("\(table.schema.name) \(table.count)")
            }
            return
        }
        for line in try answer(className, transaction) { print(line) }
    }

    private func answer(_ className: String, _ transaction: Transaction) throws -> [String] {
        guard let table = transaction.table(className), table.nestedKind == nil else {
            throw CommandFailure(
                "There is no class '\(className)'. The database has: "
                    + transaction.schema.withoutNestedCollections.classes.map(\.name).joined(separator: ", ") + ".")
        }
        let predicate = try CausewayQuery.Predicate.parse(filter ?? "TRUEPREDICATE").bound(
            to: className, in: transaction.schema)
        if count { return [String(try transaction.count(className, matching: predicate))] }
        var keys = try transaction.keys(className, matching: predicate)
        if let sort {
            let key = try SortKey(keyPath: sort, ascending: !descending).bound(to: className, in: transaction.schema)
            keys = transaction.sorted(keys, className, by: [key])
        }
        return keys.prefix(max(0, limit)).map { RowText.json($0, table, transaction) }
    }
}
