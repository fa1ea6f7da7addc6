import CausewayModel
import CausewayObjectStore
import Testing

/// Everything that a record's file holds, as lines that can be compared: every value of every row, and every entry of the
/// trees beside them.
func contents(of folder: String) throws -> [String] {
    var options = ObjectStore.Options()
    options.readOnly = true
    let store = try ObjectStore.open(path: folder + "/database.causeway", options: options)
    let transaction = try store.read()
    defer { transaction.end() }
    var lines: [String] = []
    for table in transaction.tables {
        let properties = table.schema.properties
        for key in table.allKeys {
            let values = properties.indices.map { column in
                properties[column].collection == .none
                    ? "\(table.value(key, column))" : "\(table.listValues(key, column))"
            }
            lines.append("\(table.schema.name) \(key.rawValue) \(values)")
        }
    }
    for name in recordTrees {
        transaction.tree("server." + name).scan { key, value in
            lines.append("\(name) \(Array(key)) \(Array(value))")
            return true
        }
    }
    try transaction.throwDamage()
    return lines
}

/// The trees of `StoreEmbedded/Layout.swift`.
private let recordTrees = [
    "meta", "classes", "declared", "clients", "creators", "stamps", "births", "lists", "counters", "ends", "forgotten",
    "marks",
    "marked", "folded", "history", "images", "edits", "refusals",
]
