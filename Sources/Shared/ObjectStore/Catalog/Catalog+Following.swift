import CausewayModel

// Another process, or another transaction of this one, may change the classes of a file at any time. Holders of a table
// name properties by their places, so a table can be used on only while every place means the same column as before.

extension Catalog.ClassRecord {
    /// Changes to this class in a later catalog that users of the class cannot continue with, one sentence each.
    ///
    /// Empty where the later class has the same columns in the same places, and possibly more behind them. Indexes and
    /// delete rules may differ, because every write follows those of the file.
    func breaks(in later: Catalog) -> [String] {
        guard let record = later[schema.name], record.table == table else {
            return ["Class '\(schema.name)' has been removed."]
        }
        return breaks(in: record)
    }

    /// Whether one table can show both: the columns of one are the first columns of the other.
    func isContinued(by other: Catalog.ClassRecord) -> Bool {
        other.table == table && (breaks(in: other).isEmpty || other.breaks(in: self).isEmpty)
    }

    private func breaks(in later: Catalog.ClassRecord) -> [String] {
        var result: [String] = []
        if later.schema.kind != schema.kind {
            result.append("Class '\(schema.name)' has been changed from \(schema.kind) to \(later.schema.kind).")
        }
        var isSame = later.primaryKeys == primaryKeys && later.columns.count >= columns.count
        for (place, property) in schema.properties.enumerated() {
            if place < later.columns.count, later.columns[place].id == columns[place].id,
                later.schema.properties[place].isUsed(like: property)
            {
                continue
            }
            isSame = false
            result += property.difference(from: later.schema, of: schema.name)
        }
        if !isSame, result.isEmpty { result.append("The properties of class '\(schema.name)' have been changed.") }
        return result
    }
}

extension Property {
    /// Whether code that was made for one property is right for the other.
    fileprivate func isUsed(like other: Property) -> Bool {
        name == other.name && type == other.type && collection == other.collection && target == other.target
            && isOptional == other.isOptional && isPrimaryKey == other.isPrimaryKey && isCounter == other.isCounter
            && isText == other.isText
    }

    fileprivate func difference(from later: ClassSchema, of className: String) -> [String] {
        guard let place = later.index(of: name) else { return ["Property '\(className).\(name)' has been removed."] }
        let now = later.properties[place]
        if words != now.words {
            return ["Property '\(className).\(name)' has been changed from \(words) to \(now.words)."]
        }
        return now.isUsed(like: self) ? [] : ["Property '\(className).\(name)' has been changed."]
    }

    private var words: String {
        let kind = isText ? "text" : isCounter ? "counter" : target.map { "link to '\($0)'" } ?? "\(type)"
        let one = isOptional && target == nil ? "optional \(kind)" : kind
        return collection == .none ? one : "\(collection) of \(one)"
    }
}
