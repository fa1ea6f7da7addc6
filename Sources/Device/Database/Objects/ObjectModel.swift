import CausewayModel
import Synchronization

/// The declaration of a class. It is discovered once per class from one instance.
final class ObjectModel: Sendable {
    /// One stored property, with the offset of its wrapper in every object of the class.
    struct Property: Sendable {
        var name: String
        var storedName: String
        var offset: Int
        var wrapper: any PersistedWrapper.Type
        var shape: _PropertyShape
        var isPrimaryKey: Bool
        var isIndexed: Bool
        var isFullTextIndexed: Bool
        var deletionRule = DeletionRule.none
        /// The target class of links, if the model knows only its name.
        var targetName: String?

        /// Whether the property is a single plain value: no collection, link, mixed value or text.
        var isScalar: Bool {
            shape.collection == .none && shape.type != .object && shape.type != .mixed && !shape.isText
        }
    }

    /// One inverse relation: the objects of `origin` whose property `property` links here.
    struct Inverse: Sendable {
        var name: String
        var offset: Int
        var wrapper: any PersistedWrapper.Type
        var origin: ObjectBase.Type
        var property: String
    }

    let type: ObjectBase.Type
    let className: String
    /// The kind of table the class lives in.
    let kind: ClassKind
    /// Whether only the file declares the class. Its objects are then `DynamicObject`s.
    let isDynamic: Bool
    let properties: [Property]
    /// Other names of properties: those that the program gives them, in a class whose names are the file's.
    let otherNames: [String: String]
    let inverses: [Inverse]
    /// The names of older-style properties (collections, `RealmProperty`) in a class that also has `@Persisted` ones.
    /// They would not be stored, so validation reports them.
    let passedOver: [String]
    /// What making accessors and adding objects need of `properties`, in the same order.
    let places: [WrapperPlace]
    let inversePlaces: [(offset: Int, bind: @Sendable (UnsafeMutableRawPointer, Int) -> Void)]
    let primaryKeyIndex: Int?
    /// Whether all stored properties of the class are persisted, and declared with `@Persisted`. Its managed objects
    /// then hold nothing but a reference to their row.
    let holdsOnlyRows: Bool

    init(
        type: ObjectBase.Type, className: String, kind: ClassKind, properties: [Property], inverses: [Inverse],
        passedOver: [String] = [], holdsOnlyRows: Bool, isDynamic: Bool = false, otherNames: [String: String] = [:]
    ) {
        self.otherNames = otherNames
        self.type = type
        self.className = className
        self.kind = kind
        self.isDynamic = isDynamic
        self.properties = properties
        self.inverses = inverses
        self.passedOver = passedOver
        inversePlaces = inverses.map { WrapperPlace.binder(of: $0) }
        self.holdsOnlyRows = holdsOnlyRows
        primaryKeyIndex = properties.firstIndex(where: \.isPrimaryKey)
        places = properties.map { WrapperPlace($0) }
    }

    /// The schema of the class's table.
    var schema: ClassSchema {
        ClassSchema(
            name: className,
            kind: kind,
            properties: properties.map { property in
                StoredProperty(
                    name: property.storedName,
                    type: property.shape.type,
                    collection: property.shape.collection,
                    isOptional: property.shape.isOptional,
                    isPrimaryKey: property.isPrimaryKey,
                    isIndexed: property.isIndexed,
                    isFullTextIndexed: property.isFullTextIndexed,
                    target: property.shape.target?.className(),
                    isCounter: property.shape.isCounter,
                    isText: property.shape.isText,
                    deletionRule: property.deletionRule)
            })
    }

    /// Whether there is anything to store, or to find by what is stored.
    var hasProperties: Bool { !properties.isEmpty || !inverses.isEmpty }

    var primaryKey: Property? { primaryKeyIndex.map { properties[$0] } }

    func position(of name: String) -> Int? {
        if let position = properties.firstIndex(where: { $0.name == name }) { return position }
        return otherNames[name].flatMap { other in properties.firstIndex { $0.name == other } }
    }

    func property(named name: String) -> Property? {
        position(of: name).map { properties[$0] }
    }
}

extension ObjectModel {
    private static let known = Mutex<[ObjectIdentifier: ObjectModel]>([:])

    /// The name of a class. Those of known classes are not made again, which takes microseconds.
    static func className(of type: ObjectBase.Type) -> String {
        known.withLock { $0[ObjectIdentifier(type)]?.className } ?? type.className()
    }

    /// The model of a class, discovered on first use.
    static func of(_ type: ObjectBase.Type) -> ObjectModel {
        let identifier = ObjectIdentifier(type)
        if let model = known.withLock({ $0[identifier] }) { return model }
        // Discovery runs the class's initialiser, which may itself ask for models. So it runs outside the lock.
        let model = discover(type)
        return known.withLock { known in
            if let first = known[identifier] { return first }
            known[identifier] = model
            return model
        }
    }
}
