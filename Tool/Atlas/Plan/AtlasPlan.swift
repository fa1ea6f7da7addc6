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
        var result: [Collection] = []
        var begun: Set<ExactString> = []
        func visit(_ collection: Collection) {
            guard begun.insert(ExactString(collection.className)).inserted else { return }
            for target in schema.linked(from: collection.className).sorted() {
                for next in collections where next.className.isSame(as: target.string) { visit(next) }
            }
            result.append(collection)
        }
        for collection in collections { visit(collection) }
        return result
    }
}

extension Schema {
    /// The classes that the links of a class, and of those embedded in it, lead to.
    func linked(from name: String) -> Set<ExactString> {
        var targets: Set<ExactString> = []
        var seen: Set<ExactString> = []
        var waiting = [name]
        while let name = waiting.popLast() {
            guard seen.insert(ExactString(name)).inserted, let known = self[name] else { continue }
            for target in known.properties.compactMap(\.target) {
                if self[target]?.kind == .embedded {
                    waiting.append(target)
                } else {
                    targets.insert(ExactString(target))
                }
            }
        }
        return targets
    }
}
