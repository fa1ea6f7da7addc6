import CausewayModel
import CausewayQuery

/// The classes the tests query: those of the documents, and one with a property of every type.
enum Models {
    static let schema = Schema([
        ClassSchema(
            name: "Dog",
            properties: [
                Property(name: "_id", type: .objectId, isPrimaryKey: true),
                Property(name: "name", type: .string),
                Property(name: "age", type: .int),
                Property(name: "favoriteToy", type: .object, isOptional: true, target: "DogToy"),
            ]
        ),
        ClassSchema(
            name: "DogToy",
            properties: [
                Property(name: "id", type: .objectId, isPrimaryKey: true), Property(name: "name", type: .string),
            ]
        ),
        ClassSchema(name: "User", properties: [Property(name: "id", type: .objectId, isPrimaryKey: true)]),
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "address", type: .object, isOptional: true, target: "Address"),
                Property(name: "dogs", type: .object, collection: .list, target: "Dog"),
                Property(name: "addresses", type: .object, collection: .list, target: "Address"),
            ]
        ),
        ClassSchema(
            name: "Address", kind: .embedded,
            properties: [
                Property(name: "street", type: .string, isOptional: true),
                Property(name: "city", type: .string, isOptional: true),
                Property(name: "landlord", type: .object, isOptional: true, target: "Person"),
            ]
        ),
        ClassSchema(
            name: "All",
            properties: [
                Property(name: "bool", type: .bool), Property(name: "int", type: .int),
                Property(name: "maybeInt", type: .int, isOptional: true), Property(name: "float", type: .float),
                Property(name: "double", type: .double), Property(name: "string", type: .string, isOptional: true),
                Property(name: "other", type: .string), Property(name: "data", type: .data),
                Property(name: "date", type: .date), Property(name: "objectId", type: .objectId),
                Property(name: "uuid", type: .uuid),
                Property(name: "price", type: .decimal128, isOptional: true),
                Property(name: "offers", type: .decimal128, collection: .list),
                Property(name: "scores", type: .int, collection: .list),
                Property(name: "ratios", type: .double, collection: .list, isOptional: true),
                Property(name: "tags", type: .string, collection: .list),
                Property(name: "dates", type: .date, collection: .list),
                Property(name: "mate", type: .object, isOptional: true, target: "All"),
                Property(name: "friends", type: .object, collection: .list, target: "All"),
                Property(name: "colours", type: .string, collection: .set),
                Property(name: "marks", type: .int, collection: .map),
                Property(name: "kin", type: .object, collection: .map, isOptional: true, target: "All"),
            ]
        ),
    ])
}

/// Objects as nested dictionaries: a link is the index of an object in its class.
struct TestRow: RowSource {
    final class World: Sendable {
        let objects: [String: [[String: [Value]]]]

        init(_ objects: [String: [[String: [Value]]]]) {
            self.objects = objects
        }
    }

    let world: World
    let className: String
    let index: Int

    func value(of property: Int, in className: String) -> Value {
        elements(of: property, in: className).first ?? .null
    }

    func elements(of property: Int, in className: String) -> [Value] {
        guard className == self.className, let name = Models.schema[className]?.properties[property].name else {
            return []
        }
        return world.objects[className]?[index][name] ?? []
    }

    func object(at link: Value, in target: String) -> TestRow? {
        guard case .object(let key) = link, let objects = world.objects[target],
            objects.indices.contains(Int(key.rawValue))
        else { return nil }
        return TestRow(world: world, className: target, index: Int(key.rawValue))
    }
}
