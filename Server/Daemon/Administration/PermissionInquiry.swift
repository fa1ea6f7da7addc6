import CausewayAdmin
import CausewayDataAPI
import CausewayIdentity
import CausewayJSON
import CausewayModel
import CausewayQuery
import CausewayStore

/// An operator's question: what a caller may do with one object, and which rule says so.
struct PermissionInquiry: Sendable {
    var className: String
    var subject: Subject

    enum Subject: Sendable {
        /// An object of the database, by its primary key.
        case stored(JSON)
        /// An object that is only described; what is left out is as in a new object.
        case described(JSON)
    }

    /// - Parameter rules: nil where the database has none.
    func explanation(
        by rules: PermissionRules?, for caller: Caller, in snapshot: any StoreSnapshot
    ) throws(StoreFailure) -> Result<PermissionExplanation, AdminError> {
        let classSchema: ClassSchema
        do throws(AdminError) {
            classSchema = try self.classSchema(in: snapshot)
            switch subject {
            case .stored(let key):
                let row = try row(key, classSchema, snapshot)
                let explanation = try PermissionRules.explanation(
                    rules, for: caller, of: className, in: snapshot.schema
                ) {
                    predicate throws(AdminError) in
                    do throws(StoreFailure) {
                        return try snapshot.matches(row, predicate)
                    } catch {
                        throw AdminError(.requestInvalid, error.message)
                    }
                }
                return .success(try found(explanation))
            case .described(let values):
                let object = try DescribedReader(classSchema, snapshot.schema).object(values)
                return .success(
                    try found(
                        PermissionRules.explanation(rules, for: caller, of: className, in: snapshot.schema) {
                            $0.matches(object)
                        }))
            }
        } catch {
            return .failure(error)
        }
    }

    private func found(_ explanation: PermissionExplanation?) throws(AdminError) -> PermissionExplanation {
        guard let explanation else {
            throw AdminError(.requestInvalid, "There are no rules for the class “\(className.prefix(80))”.")
        }
        return explanation
    }

    private func classSchema(in snapshot: any StoreSnapshot) throws(AdminError) -> ClassSchema {
        let schema = snapshot.schema.withoutNestedCollections
        guard let found = schema[className] else {
            let names = schema.classes.map(\.name)
            throw AdminError(
                .requestInvalid,
                "The database has no class “\(className.prefix(80))”. "
                    + (NearestName.of(className, among: names).map { "Did you mean “\($0)”?" }
                        ?? "Name one that it has."))
        }
        guard found.kind != .embedded else {
            throw AdminError(
                .requestInvalid,
                "The objects of “\(className)” are embedded in others and have no rules of their own. Ask about the object "
                    + "that holds one.")
        }
        return found
    }

    private func row(
        _ json: JSON, _ classSchema: ClassSchema, _ snapshot: any StoreSnapshot
    ) throws(AdminError) -> Row {
        guard let property = classSchema.primaryKeyIndex.map({ classSchema.properties[$0] }),
            let number = snapshot.classNumber(className)
        else {
            throw AdminError(
                .requestInvalid, "The objects of “\(className)” have no primary key. Describe one by its values.")
        }
        guard let key = DescribedReader.key(json, property) else {
            throw AdminError(.requestInvalid, "The key is none of “\(className)”. Its type is \(property.type).")
        }
        guard let row = snapshot.row(ObjectName(number, key)) else {
            throw AdminError(
                .requestInvalid,
                "There is no object of “\(className)” with this key. Describe one by its values, to ask about creating it."
            )
        }
        return row
    }
}

/// Reads an object from JSON, as far as rules look at it.
private struct DescribedReader {
    let classSchema: ClassSchema
    let schema: Schema

    init(_ classSchema: ClassSchema, _ schema: Schema) {
        (self.classSchema, self.schema) = (classSchema, schema)
    }

    /// A key as text or as a number, or in the form of the data API.
    static func key(_ json: JSON, _ property: Property) -> PrimaryKey? {
        switch json {
        case .string(let text), .number(let text): ValueReader.key(pathText: text, property)
        default: try? ValueReader.key(json, property)
        }
    }

    func object(_ json: JSON) throws(AdminError) -> DescribedObject {
        guard let members = json.members else {
            throw AdminError(.requestInvalid, "values is \(json.kind). Expected is an object: {\"title\": \"…\"}.")
        }
        var values: [Int: Value] = [:]
        var elements: [Int: [Value]] = [:]
        for member in members {
            let name = member.name.string
            guard let number = classSchema.index(of: name) else {
                throw AdminError(.requestInvalid, "“\(classSchema.name)” has no property “\(name.prefix(80))”.")
            }
            let property = classSchema.properties[number]
            switch property.collection {
            case .none: values[number] = try value(member.value, property)
            case .list, .set:
                guard let list = member.value.elements else {
                    throw AdminError(.requestInvalid, "“\(name)” is a \(property.collection). Expected is an array.")
                }
                var read: [Value] = []
                for element in list { read.append(try value(element, property)) }
                elements[number] = read
            case .map:
                throw AdminError(
                    .requestInvalid, "“\(name)” is a map, which cannot be described. Ask about a stored object.")
            }
        }
        return DescribedObject(of: classSchema, values: values, elements: elements)
    }

    private func value(_ json: JSON, _ property: Property) throws(AdminError) -> Value {
        if case .null = json, property.isOptional || property.type == .object { return .null }
        if property.type == .object { return try link(json, property) }
        do throws(ValueReader.Failure) {
            return try ValueReader.value(json, property.type)
        } catch {
            throw AdminError(
                .requestInvalid, "The value of “\(property.name)” is not of its type. Expected is \(error.expected).")
        }
    }

    private func link(_ json: JSON, _ property: Property) throws(AdminError) -> Value {
        guard let target = property.target.flatMap({ schema[$0] }), target.kind == .object,
            let keyProperty = target.primaryKeyIndex.map({ target.properties[$0] })
        else {
            throw AdminError(
                .requestInvalid,
                "“\(property.name)” holds embedded objects, which cannot be described. Ask about a stored object.")
        }
        guard let key = Self.key(json["$id"] ?? json, keyProperty) else {
            throw AdminError(
                .requestInvalid, "“\(property.name)” is a link: send the primary key of a “\(target.name)”.")
        }
        return .link(key)
    }
}
