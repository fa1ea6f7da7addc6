import CausewayJSON
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewaySubscriptions

// Objects: their creation, their replacement, and changes of single properties.

extension ChangePlan {
    mutating func create(_ place: Place, _ content: [JSON.Member]) throws(APIError) {
        try create(place.object, place.schema, content, depth: 0)
    }

    /// Creates an object or an embedded one. Fields come with it, all else behind it.
    mutating func create(
        _ object: ObjectReference, _ classSchema: ClassSchema, _ content: [JSON.Member], depth: Int
    ) throws(APIError) {
        var fields: [FieldValue] = []
        var others: [(property: Property, json: JSON)] = []
        for member in content {
            let property = classSchema.properties[try classSchema.column(member.name.string)]
            if property.isPrimaryKey { continue }
            if let field = try field(member.value, property, classSchema.name) {
                // The first value of a counter is a default, so that a second create keeps what others have added.
                fields.append(FieldValue(property.name, field, isDefault: property.isCounter))
            } else {
                others.append((property, member.value))
            }
        }
        try append(.create(object, life: 1, fields: fields))
        for (property, json) in others {
            try set(property, of: Target(object, classSchema.name, nil), to: json, depth: depth)
        }
    }

    /// Sets what is named, and everything else to what a new object has. What the caller may not read stays.
    mutating func replace(_ place: Place, _ row: Row, _ content: [JSON.Member]) throws(APIError) {
        var named: [Int: JSON] = [:]
        for member in content { named[try place.schema.column(member.name.string)] = member.value }
        let hidden = try hiddenColumns(row)
        let target = Target(place.object, place.schema.name, row, hidden: hidden)
        for (column, property) in place.schema.properties.enumerated() where !property.isPrimaryKey {
            if let json = named[column] {
                try set(property, of: target, to: json, depth: 0)
            } else if !hidden.contains(column) {
                try clear(property, of: target)
            }
        }
    }

    mutating func patch(_ place: Place, _ row: Row, _ content: [JSON.Member]) throws(APIError) {
        let target = Target(place.object, place.schema.name, row, hidden: try hiddenColumns(row))
        try patch(target, place.schema, content, depth: 0)
    }

    mutating func patch(
        _ target: Target, _ classSchema: ClassSchema, _ content: [JSON.Member], depth: Int
    ) throws(APIError) {
        for member in content {
            let property = classSchema.properties[try classSchema.column(member.name.string)]
            // It is compared with the key of the object before.
            if property.isPrimaryKey { continue }
            if let edit = Edit(member.value, of: property) {
                try apply(edit, property, of: target, member.value, depth: depth)
            } else {
                try set(property, of: target, to: member.value, depth: depth)
            }
        }
    }

    private func hiddenColumns(_ row: Row) throws(APIError) -> Set<Int> {
        do throws(StoreFailure) {
            return try permissions?.hiddenColumns(of: row, in: snapshot) ?? []
        } catch {
            throw APIError(error)
        }
    }

    // MARK: - Properties

    /// The object or embedded object whose properties are changed.
    struct Target {
        var object: ObjectReference
        var className: String
        /// Nil for one that the same changes create.
        var row: Row?
        /// The columns that the caller may not read: none of an embedded object that can be read, nor of a new one.
        var hidden: Set<Int>

        init(_ object: ObjectReference, _ className: String, _ row: Row?, hidden: Set<Int> = []) {
            self.object = object
            self.className = className
            self.row = row
            self.hidden = hidden
        }
    }

    /// Refuses what is worked out from the present value of a property that the caller may not read: the answer would
    /// tell of it. Nothing of the value is read before.
    func checkVisible(_ property: Property, of target: Target) throws(APIError) {
        if target.hidden.isEmpty { return }
        guard let column = schema[target.className]?.index(of: property.name), target.hidden.contains(column) else {
            return
        }
        throw .setDenied(property, target.className, by: current)
    }

    /// The value of a property that is set as a whole and without objects of its own; nil for other properties, and for
    /// mixed values that are collections.
    private func field(_ json: JSON, _ property: Property, _ className: String) throws(APIError) -> Value? {
        guard property.isField, !schema.isEmbedded(property.target), !property.isCollection(json) else { return nil }
        return try value(json, property, className)
    }

    mutating func set(
        _ property: Property, of target: Target, to json: JSON, depth: Int
    ) throws(APIError) {
        if property.isText || property.collection != .none { try checkVisible(property, of: target) }
        if property.isText { return try setText(property, of: target, to: json) }
        switch property.collection {
        case .list: try setList(property, of: target, to: json, depth: depth)
        case .set: try setSet(property, of: target, to: json)
        case .map: try setMap(property, of: target, to: json, depth: depth)
        case .none:
            try place(json, property, target.className, depth: depth) { plan, value throws(APIError) in
                try plan.append(.set(target.object, FieldValue(property.name, value)))
            }
        }
    }

    private mutating func clear(_ property: Property, of target: Target) throws(APIError) {
        if property.isText { return try setText(property, of: target, to: .string("")) }
        switch property.collection {
        case .list: try setList(property, of: target, to: .array([]), depth: 0)
        case .set: try setSet(property, of: target, to: .array([]))
        case .map: try setMap(property, of: target, to: .object([]), depth: 0)
        case .none:
            guard let row = target.row, let column = schema[target.className]?.index(of: property.name),
                snapshot.value(of: column, in: row) != property.zero
            else { return }
            try append(.set(target.object, FieldValue(property.name, property.zero)))
        }
    }

    /// Hands a value to an operation that gives it a place. What the value is made of is created before, and filled
    /// behind.
    mutating func place(
        _ json: JSON, _ property: Property, _ className: String, depth: Int,
        _ operation: (inout ChangePlan, Value) throws(APIError) -> Void
    ) throws(APIError) {
        if property.isCollection(json) { return try placeNested(json, property, className, depth: depth, operation) }
        guard schema.isEmbedded(property.target), json != .null else {
            return try operation(&self, try value(json, property, className))
        }
        guard let members = Self.literal(json), let target = property.target, let classSchema = schema[target] else {
            throw .value(
                of: property, className, json, expected: "an object with the properties of “\(property.target ?? "")”")
        }
        let object = ObjectReference(target, .container(client.nextID()))
        try create(object, classSchema, members, depth: depth + 1)
        try operation(&self, .link(object.key))
    }

    /// The members of an object that is meant as it is: `$map` says so where the first one begins with a $.
    static func literal(_ json: JSON) -> [JSON.Member]? {
        guard let members = json.members else { return nil }
        guard let first = members.first?.name.string, first.isTag else { return members }
        return first == "$map" && members.count == 1 ? members[0].value.members : nil
    }

    /// A value that is no collection and no embedded object.
    func value(_ json: JSON, _ property: Property, _ className: String) throws(APIError) -> Value {
        do throws(ValueReader.Failure) {
            if case .null = json, property.isOptional || property.type == .object || property.type == .mixed {
                return .null
            }
            if let link = try link(json, property) { return link }
            return try ValueReader.value(json, property.type)
        } catch {
            throw .value(of: property, className, json, expected: error.expected)
        }
    }

    private func link(_ json: JSON, _ property: Property) throws(ValueReader.Failure) -> Value? {
        guard property.type == .object || property.type == .mixed, let members = json.members, members.count == 2,
            let name = json["$ref"]?.string, let id = json["$id"]
        else { return nil }
        guard let classSchema = schema[name], classSchema.kind == .object, let column = classSchema.primaryKeyIndex,
            property.target.map({ $0.isSame(as: name) }) ?? true
        else {
            throw ValueReader.Failure(
                expected: property.target.map { "a link to an object of “\($0)”" } ?? "a link to an object of a class")
        }
        let key = try ValueReader.key(id, classSchema.properties[column])
        return property.type == .mixed ? .anyLink(ClassedLink(classSchema.name, key)) : .link(key)
    }
}

extension APIError {
    /// In the words of the store's refusal, so that both tell the same: which class, and which property.
    ///
    /// - Parameter write: its place in the request.
    fileprivate static func setDenied(_ property: Property, _ className: String, by write: Int) -> APIError {
        let message =
            "This user may not set “\(className).\(property.name)” of this object. Ask the operator for the permission, or "
            + "change another."
        var error = APIError(.permissionDenied, message)
        error.refusals = [Refusal(operation: write, code: .permissionDenied, message: message)]
        return error
    }
}

extension Property {
    /// Whether a value is a list or a map inside of a mixed value.
    func isCollection(_ json: JSON) -> Bool {
        guard type == .mixed else { return false }
        return switch json {
        case .array: true
        case .object(let members): members.first.map { !$0.name.string.isTag || $0.name == "$map" } ?? true
        default: false
        }
    }
}
