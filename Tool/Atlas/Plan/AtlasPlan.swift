import CausewayFiles
import CausewayModel

/// What becomes of what: made before anything is written.
package struct AtlasPlan {
    /// One collection, which becomes a class.
    struct Collection {
        var file: CollectionFile
        var className: String
        /// How many documents its class was inferred from; nil if it has a schema.
        var inferredFrom: Int?
    }

    /// In the order of the import: the targets of links come first where that is possible.
    let collections: [Collection]
    let schema: Schema
    let notes: [String]

    /// For people.
    package var text: String {
        let files = collections.map { collection in
            let source =
                collection.inferredFrom.map { "inferred from \($0) " + ($0 == 1 ? "document" : "documents") }
                ?? "as its schema says"
            return "    \(collection.file.path): class \(collection.className), \(source)"
        }
        var parts = ["Collections\n" + files.joined(separator: "\n"), SchemaText.text(of: schema)]
        if !notes.isEmpty { parts.append("Notes\n" + notes.map { "    " + $0 }.joined(separator: "\n")) }
        return parts.joined(separator: "\n\n")
    }

    // MARK: - Order

    /// Sorts collections so that the documents that links lead to come first, except around circles.
    static func ordered(_ collections: [Collection], _ schema: Schema) -> [Collection] {
        let places = ExactDictionary(uniqueKeysWithValues: collections.enumerated().map { ($1.className, $0) })
        return schema.linkedFirst(collections.map(\.className)).compactMap { places[$0] }.map { collections[$0] }
    }
}
