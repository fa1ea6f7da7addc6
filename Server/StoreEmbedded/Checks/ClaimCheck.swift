import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Checks that an upload speaks only for its own client.
///
/// What a client makes and nobody else can name gets an id with the client's number in it: elements, positions, runs of
/// texts, embedded objects, collections in mixed values. If a client made ids of another, the other's next insert would
/// be taken for a repetition and be lost. And a part belongs to one place. Put into a second one, it would survive the
/// deletion of its owner, and whoever may read the second place could read it there.
struct ClaimCheck {
    let client: ClientID
    /// Names that the client's file had before it was found to be a copy. What it made under them is its own. Every
    /// opening of a file counts from a number of its own, so no other file makes the same ids.
    let predecessors: [ClientID]
    let isOneWay: Bool
    private let catalog: RecordCatalog
    private let transaction: Transaction
    private let tables = Tables()
    /// Where this upload has put which parts.
    private var placed: [ObjectName: Place] = [:]
    /// What the writer may not know of is treated as if it never existed.
    var concealment: Concealment?

    private struct Place: Hashable {
        var holder: ObjectName
        var column: Int
    }

    /// How far an operation may raise the life that is known here. An offline device deletes and recreates one key a
    /// few times. A leap to the largest number would keep the key dead, or alive, for ever.
    static let livesAtOnceMax: UInt32 = 1_024

    init(
        of client: ClientID, predecessors: [ClientID] = [], isOneWay: Bool = false, _ catalog: RecordCatalog,
        in transaction: Transaction
    ) {
        self.client = client
        self.predecessors = predecessors
        self.isOneWay = isOneWay
        self.catalog = catalog
        self.transaction = transaction
    }

    /// - Precondition: the operation fits the schema.
    mutating func check(_ operation: Operation, _ plan: ClassPlan) throws(StoreFailure) {
        let target = operation.target
        switch operation {
        case .create(_, let life, let fields):
            try checkMade(target.key, plan)
            try check(life: life, of: target, plan)
            guard !plan.embeddedColumns.isEmpty || !plan.mixedColumns.isEmpty else { return }
            for field in fields { try checkPart(field.value, field.property, target, plan) }
        case .delete(_, let life):
            try check(life: life, of: target, plan)
        case .set(_, let field):
            try checkPart(field.value, field.property, target, plan)
        case .list(_, let property, .insert(let id, _, _, let value)):
            try checkMade(id, "an element of “\(plan.name).\(property)”")
            try checkPart(value, property, target, plan)
        case .list(_, let property, .move(_, let id, _, _)):
            try checkMade(id, "a position in “\(plan.name).\(property)”")
        case .list(_, let property, .set(_, let value)), .keyed(_, let property, .put(_, let value)):
            try checkPart(value, property, target, plan)
        case .text(_, let property, .insert(let id, _, _, _)):
            try checkMade(id, "a run of “\(plan.name).\(property)”")
        case .list, .keyed, .text, .add:
            break
        }
    }

    // MARK: - Names

    private func checkMade(_ key: PrimaryKey, _ plan: ClassPlan) throws(StoreFailure) {
        guard case .container(let id) = key else { return }
        try checkMade(id, "an object of “\(plan.name)”")
        // A one-way entry may not change what exists or is named here: it has no history, so nobody would hear of the
        // change.
        if isOneWay, placed[ObjectName(plan.number, key)] == nil, table(plan.number).keyOrGhost(for: key) != nil {
            throw invalid("A one-way entry makes an object of “\(plan.name)” under the name of one that is there.")
        }
    }

    private func checkMade(_ id: ElementID, _ what: String) throws(StoreFailure) {
        guard isOwn(id) else {
            throw invalid(
                "Client \(client.rawValue) makes \(what) with an id of client \(id.client.rawValue). A client makes "
                    + "ids with its own number in them.")
        }
    }

    private func isOwn(_ id: ElementID) -> Bool { id.client == client || predecessors.contains(id.client) }

    // MARK: - Lives

    private func check(life: UInt32, of target: ObjectReference, _ plan: ClassPlan) throws(StoreFailure) {
        guard life > Self.livesAtOnceMax else { return }
        let name = ObjectName(plan.number, target.key)
        let known: UInt32
        if plan.schema.kind == .asymmetric {
            // One-way objects have no lives: nothing is written about them.
            known = 0
        } else if let concealment, concealment.mayHide(plan), try !concealment.isKnown(name) {
            known = 0
        } else if let row = table(plan.number).key(for: target.key) {
            known = try ObjectStamps.load(plan.number, row, in: transaction).life
        } else if let end = try End.load(name, in: transaction) {
            known = end.life
        } else {
            known = try ForgottenEnds.load(plan.number, in: transaction).lifeMax
        }
        guard life <= known + Self.livesAtOnceMax else {
            throw invalid(
                "An object of “\(plan.name)” is to reach the life \(life), and \(known) is known here. At most "
                    + "\(Self.livesAtOnceMax) lives are left out at once.")
        }
    }

    // MARK: - Places

    private mutating func checkPart(
        _ value: Value, _ property: String, _ target: ObjectReference, _ plan: ClassPlan
    ) throws(StoreFailure) {
        // Looking columns up by name costs more than all else that is done for most values.
        guard Self.mayBePart(value), let column = plan.columns[property], let part = part(value, plan, column),
            case .container(let id) = part.key
        else { return }
        let place = Place(holder: ObjectName(plan.number, target.key), column: column)
        let isHeldElsewhere =
            if let earlier = placed[part] { earlier != place } else { isHeld(part, elsewhereThan: place) }
        // One message for both cases: it does not reveal whether such a part exists.
        let isFree = isHeldElsewhere ? false : try !isUnmade(part, id)
        guard isFree else {
            throw invalid(
                "“\(plan.name).\(property)” is given a part that is in another object, or that client "
                    + "\(id.client.rawValue) has not made. An embedded object or collection has one place, and its maker "
                    + "puts it there: make another one with the same content.")
        }
        placed[part] = place
    }

    /// Whether a part is still to be made, by a maker who also places it. A deleted part stays deleted, whoever names
    /// it.
    private func isUnmade(_ part: ObjectName, _ id: ElementID) throws(StoreFailure) -> Bool {
        if isOwn(id) { return false }
        if let concealment, concealment.mayHide(catalog[part.classNumber]) { return try !concealment.isKnown(part) }
        if table(part.classNumber).key(for: part.key) != nil { return false }
        return try End.load(part, in: transaction) == nil
    }

    private static func mayBePart(_ value: Value) -> Bool {
        switch value {
        case .link(.container), .anyLink: true
        default: false
        }
    }

    private func part(_ value: Value, _ plan: ClassPlan, _ column: Int) -> ObjectName? {
        switch value {
        case .link(let key) where plan.isEmbedded(column):
            plan.targets[column].map { ObjectName($0, key) }
        case .anyLink(let link) where NestedCollection(className: link.className) != nil:
            catalog.number(link.className).map { ObjectName($0, link.key) }
        default:
            nil
        }
    }

    private func isHeld(_ part: ObjectName, elsewhereThan place: Place) -> Bool {
        let table = table(part.classNumber)
        // Also for a part that is still to be made: whoever names it first says where it is.
        guard let row = table.keyOrGhost(for: part.key) else { return false }
        for (origin, column) in catalog.holders(of: part.classNumber) {
            let holders = self.table(origin)
            for holder in table.backlinks(to: row, from: holders, column) {
                guard column == place.column, origin == place.holder.classNumber,
                    holders.primaryKey(of: holder) == place.holder.key
                else { return true }
            }
        }
        return false
    }

    /// Looking a table up costs more than looking into it.
    private final class Tables {
        var known: [Int: Table] = [:]
    }

    private func table(_ classNumber: Int) -> Table {
        if let table = tables.known[classNumber] { return table }
        let table = catalog.table(classNumber, in: transaction)
        tables.known[classNumber] = table
        return table
    }

    private func invalid(_ message: String) -> StoreFailure {
        StoreFailure(.operationInvalid, message)
    }
}
