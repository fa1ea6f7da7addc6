import CausewayJSON
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore

// Lists, sets, maps and texts as a whole, and collections inside of mixed values.

extension ChangePlan {
    /// What a list, set, map or text holds; nil if it never held anything, or is about to be made.
    ///
    /// - Precondition: the caller may read the property: what a write becomes tells what was read for it.
    func part(_ property: Property, of target: Target) throws(APIError) -> ObjectState.Content? {
        guard let row = target.row, let kind = property.part,
            let column = schema[target.className]?.index(of: property.name)
        else { return nil }
        var columns = PropertyNumbers()
        columns.insert(column)
        var contents: [ObjectContent] = []
        do throws(StoreFailure) {
            try snapshot.appendPart(row, columns, to: &contents)
        } catch {
            throw APIError(error)
        }
        return contents.last?.state[property.name, kind]
    }

    func list(_ property: Property, of target: Target) throws(APIError) -> ListState {
        if case .list(let list)? = try part(property, of: target) { list } else { ListState() }
    }

    func keyed(_ property: Property, of target: Target) throws(APIError) -> KeyedState {
        if case .keyed(let entries)? = try part(property, of: target) { entries } else { KeyedState() }
    }

    // MARK: - Lists

    mutating func setList(_ property: Property, of target: Target, to json: JSON, depth: Int) throws(APIError) {
        guard let elements = json.elements else {
            throw .value(of: property, target.className, json, expected: "an array")
        }
        var list = try list(property, of: target)
        if !list.isEmpty {
            let clearing = list.clearing()
            try change(&list, property, of: target, clearing)
        }
        try insert(elements, at: 0, in: &list, property, of: target, depth: depth)
    }

    /// - Precondition: the index is a place of the list.
    mutating func insert(
        _ elements: [JSON], at index: Int, in list: inout ListState, _ property: Property, of target: Target, depth: Int
    ) throws(APIError) {
        var index = index
        for json in elements {
            let id = client.nextID()
            let place = index
            try self.place(json, property, target.className, depth: depth) { plan, value throws(APIError) in
                let operation = list.insertion(of: value, at: place, id: id)
                try plan.change(&list, property, of: target, operation)
            }
            index += 1
        }
    }

    /// Makes an operation, and keeps the list as the next one finds it.
    mutating func change(
        _ list: inout ListState, _ property: Property, of target: Target, _ operation: ListOperation
    ) throws(APIError) {
        list.join(operation, stamp: Stamp(time: .max, client: client.id))
        try append(.list(target.object, property: property.name, operation))
    }

    // MARK: - Sets and maps

    mutating func setSet(_ property: Property, of target: Target, to json: JSON) throws(APIError) {
        let wanted = try elements(json, property, target.className)
        let present = try keyed(property, of: target).visible.map { SetElement($0.key) }
        let kept = Set(wanted)
        for element in present where !kept.contains(element) {
            try append(.keyed(target.object, property: property.name, .remove(key: element.value)))
        }
        try add(wanted, without: Set(present), property, of: target)
    }

    /// - Parameter present: what is there already.
    mutating func add(
        _ elements: [SetElement], without present: Set<SetElement>, _ property: Property, of target: Target
    ) throws(APIError) {
        var present = present
        for element in elements where present.insert(element).inserted {
            try append(.keyed(target.object, property: property.name, .put(key: element.value, value: .null)))
        }
    }

    func elements(_ json: JSON, _ property: Property, _ className: String) throws(APIError) -> [SetElement] {
        guard let elements = json.elements else { throw .value(of: property, className, json, expected: "an array") }
        var read: [SetElement] = []
        for json in elements {
            if property.isCollection(json) {
                throw .value(of: property, className, json, expected: "an element that is no collection")
            }
            read.append(SetElement(try element(json, property, className)))
        }
        return read
    }

    /// An element of a list or set: null only where elements may be null.
    private func element(_ json: JSON, _ property: Property, _ className: String) throws(APIError) -> Value {
        let value = try value(json, property, className)
        guard !value.isNull || property.isOptional && property.type != .object || property.type == .mixed else {
            throw .value(of: property, className, json, expected: ValueReader.form(of: property.type))
        }
        return value
    }

    mutating func setMap(_ property: Property, of target: Target, to json: JSON, depth: Int) throws(APIError) {
        guard let members = Self.literal(json) else {
            throw .value(of: property, target.className, json, expected: "an object")
        }
        let names = Set(members.map(\.name))
        for (key, _) in try keyed(property, of: target).visible {
            if case .string(let name) = key, names.contains(ExactString(name)) { continue }
            try append(.keyed(target.object, property: property.name, .remove(key: key)))
        }
        try put(members, property, of: target, depth: depth)
    }

    mutating func put(
        _ members: [JSON.Member], _ property: Property, of target: Target, depth: Int
    ) throws(APIError) {
        for member in members {
            try place(member.value, property, target.className, depth: depth) { plan, value throws(APIError) in
                try plan.append(
                    .keyed(
                        target.object, property: property.name,
                        .put(key: .string(member.name.string), value: value)))
            }
        }
    }

    // MARK: - Texts

    /// Writes the difference, so that what others type meanwhile stays.
    mutating func setText(_ property: Property, of target: Target, to json: JSON) throws(APIError) {
        guard let wanted = json.string else { throw .value(of: property, target.className, json, expected: "a string") }
        let text = try text(property, of: target)
        let edits = texts.edits(from: text.string, to: wanted)
        try edit(text, edits, property, of: target)
    }

    func text(_ property: Property, of target: Target) throws(APIError) -> TextState {
        if case .text(let text)? = try part(property, of: target) { text } else { TextState() }
    }

    mutating func edit(
        _ text: TextState, _ edits: [TextEdit], _ property: Property, of target: Target
    ) throws(APIError) {
        var runs = text.runs
        guard let made = runs.apply(edits, nextID: { client.nextID($0) }) else {
            throw APIError(
                .valueInvalid,
                "“\(target.className).\(property.name)” has \(text.count) characters, and the edit is outside.")
        }
        for operation in made { try append(.text(target.object, property: property.name, operation)) }
    }

    // MARK: - Inside of mixed values

    /// A list or a map inside of a mixed value has a row of its own, as an embedded object has.
    mutating func placeNested(
        _ json: JSON, _ property: Property, _ className: String, depth: Int,
        _ operation: (inout ChangePlan, Value) throws(APIError) -> Void
    ) throws(APIError) {
        guard depth < NestedCollection.levelMax else {
            throw .value(
                of: property, className, json,
                expected: "a collection that nests at most \(NestedCollection.levelMax) deep")
        }
        let kind: NestedCollection = json.elements == nil ? .map : .list
        guard schema[kind.className] != nil, property.collection != .set else {
            throw .value(of: property, className, json, expected: "a value that is no collection")
        }
        let object = ObjectReference(kind.className, .container(client.nextID()))
        try append(.create(object, life: 1, fields: []))
        try operation(&self, .anyLink(ClassedLink(object.className, object.key)))
        let elements = kind.schema.properties[NestedCollection.column]
        try set(elements, of: Target(object, kind.className, nil), to: json, depth: depth + 1)
    }
}
