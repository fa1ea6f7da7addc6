// Collections as text, in RealmSwift's layout without addresses: at most a hundred elements, nested to a given depth.

/// A collection that can describe itself within a description.
protocol ListDescribing {
    func description(depth: Int) -> String
}

extension List: ListDescribing {
    func description(depth: Int) -> String { describe(self, "List", depth: depth) }
}

extension MutableSet: ListDescribing {
    func description(depth: Int) -> String { describe(self, "MutableSet", depth: depth) }
}

extension Map: ListDescribing {
    func description(depth: Int) -> String {
        guard depth > 0 else { return depthExceeded }
        let lines = entries.sorted { $0.key._mapKey < $1.key._mapKey }.prefix(elementsMax).map { key, value in
            "\t[\(key)]: \(describeElement(value, depth: depth - 1))"
        }
        return describe(lines, of: count, "Map<string, \(typeName(Value.self))>")
    }
}

let depthExceeded = "<Maximum depth exceeded>"
private let elementsMax = 100

/// - Parameter depth: how many levels of objects and collections are shown, this one included.
func describe<C: RealmCollection>(_ collection: C, _ name: String, depth: Int = 5) -> String {
    guard depth > 0 else { return depthExceeded }
    let lines = collection.prefix(elementsMax).enumerated().map { position, element in
        "\t[\(position)] \(describeElement(element, depth: depth - 1))"
    }
    return describe(lines, of: collection.count, "\(name)<\(typeName(C.Element.self))>")
}

private func describe(_ lines: [String], of count: Int, _ name: String) -> String {
    let skipped = count > lines.count ? "\n\t... \(count - lines.count) objects skipped." : ""
    return "\(name) (\n\(lines.joined(separator: ",\n"))\(skipped)\n)"
}

/// The class of the elements, or the word for their type in messages.
private func typeName<Element: RealmCollectionValue>(_ type: Element.Type) -> String {
    // A projection is not stored and has no shape.
    if type is any ProjectionObservable.Type { return "\(type)" }
    return Element._shape.target?.className() ?? Element._shape.type.word
}

func describeElement(_ element: Any, depth: Int) -> String {
    let text =
        switch flattened(element) {
        case nil: "<null>"
        case let object as ObjectBase: object.description(depth: depth)
        case let mixed as AnyRealmValue: mixed.description(depth: depth)
        case let value?: "\(value)"
        }
    return text.indentedAfterFirstLine
}
