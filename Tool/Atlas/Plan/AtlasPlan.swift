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
    /// The classes of the collections that the import or its schema has.
    let classNames: ExactDictionary<String>
    let notes: [String]
    /// The classes of the file that the import is for; nil if it is not there yet.
    var known: Schema?

    /// For people.
    package var text: String {
        let files = collections.map { collection in
            let source =
                collection.inferredFrom.map { "inferred from \($0) " + ($0 == 1 ? "document" : "documents") }
                ?? "as its schema says"
            let place = known.map { $0[collection.className] == nil ? ", new in the file" : ", in the file already" }
            return "    \(collection.file.path): class \(collection.className), \(source)\(place ?? "")"
        }
        var parts = ["Collections\n" + files.joined(separator: "\n"), SchemaText.text(of: schema)]
        if !notes.isEmpty { parts.append("Notes\n" + notes.map { "    " + $0 }.joined(separator: "\n")) }
        return parts.joined(separator: "\n\n")
    }

    // MARK: - A file with classes

    /// The plan for a file that has classes already. What their properties are there counts, and not what the documents or
    /// their schema say: values that fit are taken, and others are told like all that cannot be mapped.
    func fitted(to known: Schema) -> AtlasPlan {
        guard !known.classes.isEmpty else { return self }
        var notes = notes
        var classes = self.schema.classes.map { wanted in
            guard let stored = known[wanted.name], stored.kind == wanted.kind else { return wanted }
            var fitted = wanted
            fitted.properties = wanted.properties.map { property in
                guard let place = stored.index(of: property.name) else { return property }
                let kept = stored.properties[place]
                if kept.type != property.type || kept.collection != property.collection
                    || kept.target != property.target
                {
                    notes.append(
                        "'\(wanted.name).\(property.name)' stays \(SchemaText.type(of: kept)), as it is in the file. The documents "
                            + "would make it \(SchemaText.type(of: property)).")
                }
                return kept
            }
            return fitted
        }
        classes += known.classes.filter { stored in self.schema[stored.name] == nil }
        let schema = Schema(classes).reached(from: collections.map(\.className))
        var plan = AtlasPlan(
            collections: Self.ordered(collections, schema), schema: schema, classNames: classNames, notes: notes)
        plan.known = known
        return plan
    }

    // MARK: - Order

    /// Sorts collections so that the documents that links lead to come first, except around circles.
    static func ordered(_ collections: [Collection], _ schema: Schema) -> [Collection] {
        let places = ExactDictionary(uniqueKeysWithValues: collections.enumerated().map { ($1.className, $0) })
        return schema.linkedFirst(collections.map(\.className)).compactMap { places[$0] }.map { collections[$0] }
    }
}
