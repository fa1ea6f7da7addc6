import CausewayJSON
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore

// Changes of a part of a property.

extension ChangePlan {
    mutating func apply(
        _ edit: Edit, _ property: Property, of target: Target, _ json: JSON, depth: Int
    ) throws(APIError) {
        let known = Edit.known(to: property, isEmbedded: schema.isEmbedded(property.target))
        guard known.contains(edit), json.members?.count == 1, let argument = json[edit.rawValue] else {
            throw .edit(edit, property, target.className, known)
        }
        if edit != .increment { try checkVisible(property, of: target) }
        switch edit {
        case .increment: try increment(property, of: target, argument)
        case .append, .insert: try insert(edit, property, of: target, argument, depth: depth)
        case .setAt: try setElement(property, of: target, argument, depth: depth)
        case .removeAt: try removeElements(property, of: target, argument)
        case .add:
            let present = try keyed(property, of: target).visible.map { SetElement($0.key) }
            try add(try elements(argument, property, target.className), without: Set(present), property, of: target)
        case .put:
            guard let members = Self.literal(argument) else { throw .argument(edit, #"{"a key": a value}"#) }
            try put(members, property, of: target, depth: depth)
        case .remove: try remove(property, of: target, argument)
        case .splice: try splice(property, of: target, argument)
        case .patch: try patchEmbedded(property, of: target, argument, depth: depth)
        }
    }

    private mutating func increment(_ property: Property, of target: Target, _ argument: JSON) throws(APIError) {
        guard case .int(let amount)? = try? ValueReader.value(argument, .int) else { throw .argument(.increment, "2") }
        try append(.add(target.object, property: property.name, Addition(amount)))
    }

    // MARK: - Lists

    private mutating func insert(
        _ edit: Edit, _ property: Property, of target: Target, _ argument: JSON, depth: Int
    ) throws(APIError) {
        var list = try list(property, of: target)
        if edit == .append {
            guard let values = argument.elements else { throw .argument(edit, "[values]") }
            return try insert(values, at: list.count, in: &list, property, of: target, depth: depth)
        }
        guard argument.members?.count == 2, let place = argument["at"]?.int, let values = argument["values"]?.elements
        else {
            throw .argument(edit, #"{"at": 0, "values": [values]}"#)
        }
        guard (0...Int64(list.count)).contains(place) else {
            throw .place(place, property, target.className, list.count)
        }
        try insert(values, at: Int(place), in: &list, property, of: target, depth: depth)
    }

    private mutating func setElement(
        _ property: Property, of target: Target, _ argument: JSON, depth: Int
    ) throws(APIError) {
        var list = try list(property, of: target)
        guard argument.members?.count == 2, let place = argument["at"]?.int, let json = argument["value"] else {
            throw .argument(.setAt, #"{"at": 0, "value": a value}"#)
        }
        guard place >= 0, place < Int64(list.count) else { throw .place(place, property, target.className, list.count) }
        try self.place(json, property, target.className, depth: depth) { plan, value throws(APIError) in
            let operation = list.replacement(at: Int(place), with: value)
            try plan.change(&list, property, of: target, operation)
        }
    }

    private mutating func removeElements(_ property: Property, of target: Target, _ argument: JSON) throws(APIError) {
        var list = try list(property, of: target)
        guard let members = argument.members, let place = argument["at"]?.int,
            let count = members.count == 1 ? 1 : members.count == 2 ? argument["count"]?.int : nil
        else {
            throw .argument(.removeAt, #"{"at": 0, "count": 1}"#)
        }
        guard place >= 0, count >= 0, count <= Int64(list.count), place <= Int64(list.count) - count else {
            throw .place(place, property, target.className, list.count)
        }
        for _ in 0..<count {
            let operation = list.removal(at: Int(place))
            try change(&list, property, of: target, operation)
        }
    }

    // MARK: - Sets, maps, texts

    private mutating func remove(_ property: Property, of target: Target, _ argument: JSON) throws(APIError) {
        let present = try keyed(property, of: target)
        for key in try keys(argument, property, target.className) {
            guard let standing = present.standing(key) else { continue }
            try append(.keyed(target.object, property: property.name, .remove(key: standing)))
        }
    }

    /// Elements of a set, or keys of a map.
    private func keys(_ argument: JSON, _ property: Property, _ className: String) throws(APIError) -> [Value] {
        guard property.collection == .map else { return try elements(argument, property, className).map(\.value) }
        let names = argument.elements?.compactMap(\.string)
        guard let names, names.count == argument.elements?.count else { throw .argument(.remove, #"["a key"]"#) }
        return names.map { .string($0) }
    }

    private mutating func splice(_ property: Property, of target: Target, _ argument: JSON) throws(APIError) {
        let known = ["at", "remove", "insert"]
        guard let members = argument.members, let place = argument["at"]?.int,
            members.allSatisfy({ known.contains($0.name.string) }),
            let removed = argument["remove"].map({ $0.int }) ?? 0,
            let inserted = argument["insert"].map({ $0.string }) ?? ""
        else {
            throw .argument(.splice, #"{"at": 0, "remove": 1, "insert": "a"}"#)
        }
        let text = try text(property, of: target)
        let count = Int64(text.count)
        guard place >= 0, removed >= 0, removed <= count, place <= count - removed else {
            throw .place(place, property, target.className, text.count)
        }
        var edits: [TextEdit] = []
        if removed > 0 { edits.append(.remove(Int(place)..<Int(place + removed))) }
        if !inserted.isEmpty { edits.append(.insert(inserted, at: Int(place))) }
        try self.edit(text, edits, property, of: target)
    }

    // MARK: - Embedded objects

    private mutating func patchEmbedded(
        _ property: Property, of target: Target, _ argument: JSON, depth: Int
    ) throws(APIError) {
        guard let members = argument.members, let className = property.target, let classSchema = schema[className],
            let number = snapshot.classNumber(className)
        else { throw .argument(.patch, #"{"property": a value}"#) }
        guard let row = target.row, let column = schema[target.className]?.index(of: property.name),
            case .link(let key) = snapshot.value(of: column, in: row),
            let embedded = snapshot.row(ObjectName(number, key))
        else {
            throw APIError(
                .valueInvalid,
                "“\(target.className).\(property.name)” is null, so that there is nothing to patch. Set it to an object."
            )
        }
        try patch(Target(ObjectReference(className, key), className, embedded), classSchema, members, depth: depth + 1)
    }
}

extension APIError {
    fileprivate static func edit(
        _ edit: Edit, _ property: Property, _ className: String, _ known: [Edit]
    ) -> APIError {
        APIError(
            .valueInvalid,
            "“\(className).\(property.name)” is given \(edit.rawValue) as a part of a patch. "
                + (known.isEmpty
                    ? "It is set as a whole."
                    : "It takes one of: " + known.map(\.rawValue).joined(separator: ", ") + "."))
    }

    fileprivate static func argument(_ edit: Edit, _ expected: String) -> APIError {
        APIError(.valueInvalid, #"Expected is {"\#(edit.rawValue)": \#(expected)}."#)
    }

    fileprivate static func place(_ place: Int64, _ property: Property, _ className: String, _ count: Int) -> APIError {
        APIError(
            .valueInvalid,
            "“\(className).\(property.name)” has \(count) elements or characters, and the edit at \(place) is outside.")
    }
}
