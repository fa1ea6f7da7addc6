import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Checks operations from outside against the schema, before any of them is applied.
///
/// Everything that later work relies on is checked here: the class and property exist, the value has the property's
/// type, keys are of the right kind. What passes may have no effect, but it cannot fail.
struct OperationCheck {
    let catalog: RecordCatalog
    /// One-way entries create asymmetric objects; changesets never touch them.
    let isOneWay: Bool
    private var claims: ClaimCheck
    /// The object that a one-way entry created last: what the object holds follows its create.
    private var lastCreated: ObjectReference?
    private var lastShapes: [Int: Shape] = [:]
    /// The class that was found missing last: mostly all operations of a run name it.
    private var unknownClass: (name: String, failure: StoreFailure)?

    /// The columns that the fields of a create name. Creates of one import name the same ones over and over.
    final class Shape {
        let names: [String]
        /// -1 where the field is the primary key.
        let columns: [Int]
        let defaults: [Bool]

        init(names: [String], columns: [Int], defaults: [Bool]) {
            self.names = names
            self.columns = columns
            self.defaults = defaults
        }

        func fits(_ fields: [FieldValue]) -> Bool {
            guard names.count == fields.count else { return false }
            for index in fields.indices
            where !fields[index].property.isSame(as: names[index]) || fields[index].isDefault != defaults[index] {
                return false
            }
            return true
        }
    }

    static let keyBytesMax = 400

    /// What the writer of the next operations may not know of.
    var concealment: Concealment? {
        get { claims.concealment }
        set { claims.concealment = newValue }
    }

    init(
        _ catalog: RecordCatalog, of client: ClientID, predecessors: [ClientID] = [], isOneWay: Bool = false,
        in transaction: Transaction
    ) {
        self.catalog = catalog
        self.isOneWay = isOneWay
        claims = ClaimCheck(of: client, predecessors: predecessors, isOneWay: isOneWay, catalog, in: transaction)
    }

    mutating func check(_ operation: Operation) throws(StoreFailure) {
        let target = operation.target
        guard let plan = catalog[target.className] else { throw unknown(target.className) }
        try check(key: target.key, of: plan)
        if isOneWay { try checkOneWay(operation, plan) }
        switch operation {
        case .create(_, let life, let fields):
            guard life % 2 == 1, life <= Operation.lifeMax else {
                throw invalid("A create of \(shown(target)) reaches the life \(life), which is not that of an object.")
            }
            let shape = try shape(of: fields, plan)
            for (field, column) in zip(fields, shape.columns) {
                if column < 0 {
                    guard field.value == target.key.value else {
                        throw invalid(
                            "A create of \(shown(target)) gives it another primary key. A primary key never changes.")
                    }
                } else {
                    try check(field.value, plan, column)
                }
            }
        case .delete(_, let life):
            guard life % 2 == 0, life > 0, life <= Operation.lifeMax else {
                throw invalid("A delete of \(shown(target)) reaches the life \(life), which is not that of a deletion.")
            }
        case .set(_, let field):
            let column = try self.column(field.property, plan)
            guard column != plan.primaryKey else {
                throw invalid(
                    "An operation sets the primary key of \(shown(target)). A primary key never changes: delete the "
                        + "object and create another.")
            }
            guard plan.schema.properties[column].isField else {
                throw invalid(
                    "“\(plan.name).\(field.property)” is a \(plan.schema.properties[column].partsWord): "
                        + "it is changed by its elements, not set.")
            }
            try check(field.value, plan, column)
        case .list(_, let property, let change):
            let column = try self.column(property, plan)
            guard plan.schema.properties[column].collection == .list else {
                throw invalid("“\(plan.name).\(property)” is not a list, but an operation changes it as one.")
            }
            switch change {
            case .insert(_, _, _, let value), .set(_, let value): try check(value, plan, column)
            case .delete, .move, .clear: break
            }
        case .keyed(_, let property, let change):
            let column = try self.column(property, plan)
            switch plan.schema.properties[column].collection {
            case .set: try checkSet(change, plan, column)
            case .map: try checkMap(change, plan, column)
            case .none, .list:
                throw invalid("“\(plan.name).\(property)” is no set or map, but an operation changes it as one.")
            }
        case .add(_, let property, _):
            guard plan.schema.properties[try self.column(property, plan)].isCounter else {
                throw invalid(
                    "“\(plan.name).\(property)” is no counter, but an operation adds to it. Declare it as a Counter, "
                        + "under a name of its own if the server has it as something else.")
            }
        case .text(_, let property, _):
            let column = try self.column(property, plan)
            // A file of an earlier server may declare a key as a text. Its edit would leave the tree of keys behind.
            guard plan.schema.properties[column].isText, column != plan.primaryKey else {
                throw invalid("“\(plan.name).\(property)” is no text, but an operation changes it as one.")
            }
        }
        try claims.check(operation, plan)
    }

    // MARK: - One way

    /// Must be called before each entry of one-way objects.
    mutating func beginEntry() { lastCreated = nil }

    private mutating func checkOneWay(_ operation: Operation, _ plan: ClassPlan) throws(StoreFailure) {
        switch operation {
        case .create:
            lastCreated = operation.target
            return
        case .list(let target, _, .insert), .keyed(let target, _, .put), .text(let target, _, .insert):
            if target == lastCreated { return }
        case .delete, .set, .add, .list, .keyed, .text:
            break
        }
        throw invalid(
            "A one-way entry changes an object of “\(plan.name)”. One-way objects are created only, with what their "
                + "collections hold behind the create.")
    }

    // MARK: - Sets and maps

    private func checkSet(_ change: KeyedOperation, _ plan: ClassPlan, _ column: Int) throws(StoreFailure) {
        try check(change.key, plan, column)
        if case .put(_, let value) = change, !value.isNull {
            throw invalid("An element of the set “\(plan.name).\(plan.schema.properties[column].name)” has a value.")
        }
    }

    private func checkMap(_ change: KeyedOperation, _ plan: ClassPlan, _ column: Int) throws(StoreFailure) {
        guard case .string = change.key else {
            throw invalid("A key of the map “\(plan.name).\(plan.schema.properties[column].name)” is no string.")
        }
        if case .put(_, let value) = change { try check(value, plan, column) }
    }

    // MARK: - Names

    mutating func shape(of fields: [FieldValue], _ plan: ClassPlan) throws(StoreFailure) -> Shape {
        if let last = lastShapes[plan.number], last.fits(fields) { return last }
        var columns: [Int] = []
        for field in fields {
            let column = try self.column(field.property, plan)
            guard plan.schema.properties[column].isField else {
                throw invalid(
                    "A create gives “\(plan.name).\(field.property)” a value, but it is a "
                        + "\(plan.schema.properties[column].partsWord).")
            }
            columns.append(column == plan.primaryKey ? -1 : column)
        }
        guard Set(columns).count == columns.count else {
            throw invalid("A create of “\(plan.name)” names a property twice.")
        }
        let shape = Shape(names: fields.map(\.property), columns: columns, defaults: fields.map(\.isDefault))
        lastShapes[plan.number] = shape
        return shape
    }

    private mutating func unknown(_ className: String) -> StoreFailure {
        if let unknownClass, unknownClass.name == className { return unknownClass.failure }
        let failure = invalid(
            "The class “\(className.prefix(80))” is not in the server's schema. Connect with a schema that has it before "
                + "sending its objects.")
        unknownClass = (className, failure)
        return failure
    }

    private func column(_ property: String, _ plan: ClassPlan) throws(StoreFailure) -> Int {
        guard let column = plan.columns[property] else {
            throw invalid(
                "“\(plan.name)” has no property “\(property.prefix(80))” in the server's schema. Connect with a schema "
                    + "that has it before writing it.")
        }
        return column
    }

    // MARK: - Values

    private func check(key: PrimaryKey, of plan: ClassPlan) throws(StoreFailure) {
        switch plan.schema.kind {
        case .asymmetric where !isOneWay:
            throw invalid(
                "“\(plan.name)” is a one-way class: its objects are not changed by changesets. Send them as one-way "
                    + "entries.")
        case .object where isOneWay:
            throw invalid("“\(plan.name)” is not a one-way class: its objects do not travel as one-way entries.")
        case .embedded:
            guard case .container = key else {
                throw invalid("An object of the embedded class “\(plan.name)” is named by a primary key.")
            }
        default:
            guard let property = plan.primaryKey.map({ plan.schema.properties[$0] }), fits(key, property) else {
                throw invalid(
                    "An object of “\(plan.name)” is named by a primary key of another type than the class's, or by one "
                        + "longer than \(Self.keyBytesMax) bytes.")
            }
        }
    }

    private func check(_ value: Value, _ plan: ClassPlan, _ column: Int) throws(StoreFailure) {
        // The most common values, without a copy of the property's description.
        switch (plan.types[column], value) {
        case (.bool, .bool), (.int, .int), (.double, .double), (.string, .string), (.date, .timestamp): return
        default: break
        }
        let property = plan.schema.properties[column]
        let fits: Bool =
            switch (property.type, value) {
            case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string),
                (.data, .bytes), (.date, .timestamp), (.objectId, .objectId), (.uuid, .uuid):
                true
            case (.decimal128, .decimal): true
            case (.mixed, .anyLink(let link)): fits(link, property)
            case (.mixed, .object), (.mixed, .link), (.mixed, .anyObject): false
            case (.mixed, _): true
            case (_, .null):
                switch property.collection {
                case .none, .map: property.isOptional || property.type == .object
                case .list, .set: property.isOptional && property.type != .object
                }
            case (.object, .link(let key)):
                self.fits(link: key, plan, column)
            default:
                false
            }
        if !fits {
            throw invalid(
                "“\(plan.name).\(property.name)” is given a value that is not of its type "
                    + "(\(property.isOptional ? "optional " : "")\(property.type)). Send values as the schema declares "
                    + "them.")
        }
    }

    private func fits(link key: PrimaryKey, _ plan: ClassPlan, _ column: Int) -> Bool {
        guard let property = plan.targetKeys[column] else {
            if case .container = key { return plan.isEmbedded(column) }
            return false
        }
        return fits(key, property)
    }

    /// Embedded objects belong to one parent, and one-way ones are never read: no mixed value leads to them. By its
    /// container a value may only name a collection of its own, and not in an element of a set.
    private func fits(_ link: ClassedLink, _ property: Property) -> Bool {
        if NestedCollection(className: link.className) != nil {
            guard case .container = link.key, catalog[link.className] != nil else { return false }
            return property.collection != .set && !isOneWay
        }
        guard let plan = catalog[link.className], plan.schema.kind == .object,
            let column = plan.primaryKey
        else { return false }
        return fits(link.key, plan.schema.properties[column])
    }

    private func fits(_ key: PrimaryKey, _ property: Property) -> Bool {
        switch (key, property.type) {
        case (.int, .int), (.objectId, .objectId), (.uuid, .uuid): true
        case (.string(let text), .string): text.utf8.count <= Self.keyBytesMax
        case (.null, _): property.isOptional
        default: false
        }
    }

    private func shown(_ target: ObjectReference) -> String {
        "“\(target.className.prefix(80))”"
    }

    private func invalid(_ message: String) -> StoreFailure {
        StoreFailure(.operationInvalid, message)
    }
}

extension Property {
    /// The word for what has the parts.
    fileprivate var partsWord: String { isText ? "text" : "\(collection)" }
}
