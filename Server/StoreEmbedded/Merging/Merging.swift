import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// One version being made: changesets of one client, merged into the rows.
///
/// Two ways lead to the rows:
///
/// 1. *Plain creation* (`Merging+Creation`): the object does not exist and was never deleted, so there is nothing to
///    merge with. Its values go into the columns as they come.
/// 2. *Merging* (`WorkingObject`): what operations touch of the object is loaded as an `ObjectState` and joined with
///    them by `Merge`. At the end of the changeset the difference is written back.
///
/// After each changeset the rows are complete: embedded objects that lost their place in the meantime are gone.
final class Merging {
    let transaction: Transaction
    let catalog: RecordCatalog
    let client: ClientID
    let version: ServerVersion
    /// The clients that the writer's file was before it was found to be a copy, and up to which version.
    private let predecessors: [ClientID]
    private let inherited: ServerVersion

    var objects: [ObjectName: WorkingObject] = [:]
    /// Loaded for judging, and not touched yet.
    var prepared: [ObjectName: WorkingObject] = [:]
    /// In the order in which they were touched, so that what is written does not depend on hashing.
    var order: [WorkingObject] = []
    /// The classes of these objects.
    var touchedClasses: Set<Int> = []
    /// The top-level objects of embedded ones, as far as asked for. A part that lives keeps its place.
    var roots = Ascent<Row>()
    /// Whether an object was asked for that nothing held: this changeset may give it a place.
    var hasUnplaced = false
    /// Touched since the last changeset ended.
    var unwritten: [WorkingObject] = []
    /// Embedded objects that may have lost their place.
    var uncertain: [WorkingObject] = []
    var creation = Creation()
    /// Per class, once asked for.
    var forgottenEnds: [Int: ForgottenEnds] = [:]
    /// Objects that are there or gone, by who created them.
    private var creators = CreatorChanges()
    private var tables: [Int: Table] = [:]

    init(
        _ transaction: Transaction, _ catalog: RecordCatalog, client: ClientID, version: ServerVersion,
        predecessors: [ClientID] = [], inherited: ServerVersion = .zero
    ) {
        self.predecessors = predecessors
        self.inherited = inherited
        self.transaction = transaction
        self.catalog = catalog
        self.client = client
        self.version = version
    }

    /// Whether the writer's file made what a client, its own or another, wrote in a version: then it has seen that,
    /// whatever its base is.
    func isOwn(_ other: ClientID, in version: ServerVersion) -> Bool {
        other == client || version <= inherited && predecessors.contains(other)
    }

    func table(_ classNumber: Int) -> Table {
        if let table = tables[classNumber] { return table }
        let table = catalog.table(classNumber, in: transaction)
        tables[classNumber] = table
        return table
    }

    // MARK: - One changeset

    func apply(_ changeset: Changeset, _ check: inout OperationCheck) throws(StoreFailure) {
        if hasUnplaced { forgetRoots() }
        for operation in changeset.operations {
            guard let plan = catalog[operation.target.className] else {
                preconditionFailure("An operation was applied that was not checked.")
            }
            if case .create(let target, 1, let fields) = operation,
                try createPlainly(target, plan, fields, changeset.stamp, &check)
            {
                continue
            }
            try join(operation, plan, changeset)
        }
        endRuns()
        try writeBackAll(changeset.stamp)
        try buryOrphans()
    }

    private func join(_ sent: Operation, _ plan: ClassPlan, _ changeset: Changeset) throws(StoreFailure) {
        let object = try object(ObjectName(plan.number, sent.target.key))
        note(object)
        var operation = sent
        switch operation {
        case .create(let target, let named, let fields):
            let life = try meantLife(named, of: Lives(object), base: changeset.seen(target))
            if life != named {
                operation = .create(target, life: life, fields: fields)
                object.effective = false
                if life < named { object.livesDiffer = true }
            }
            object.isMadeByClient = true
            // A later life forgets the earlier one, whose state the image needs.
            if object.state.isAlive, life > object.state.life { try loadAll(of: object) }
            let stands = object.state.isAlive && life == object.state.life
            for field in fields {
                guard let column = plan.columns[field.property], column != plan.primaryKey else { continue }
                try load(column, of: object)
                // What was added to its first value stays on top of the new one. The writer's device knows the count
                // that it was told, not how much of it was added, so it is told the current value.
                if stands, field.isDefault, plan.schema.properties[column].isCounter { object.effective = false }
                object.columns.insert(column)
            }
        case .delete:
            if try mayMeanForgotten(Lives(object), base: changeset.seen(operation.target)) {
                object.effective = false
                object.livesDiffer = true
                return
            }
            try loadAll(of: object)
        case .set(_, let field):
            guard let column = plan.columns[field.property] else { return }
            try load(column, of: object)
            object.columns.insert(column)
        case .list(_, let property, _), .keyed(_, let property, _), .text(_, let property, _):
            guard let column = plan.columns[property] else { return }
            try load(column, of: object)
            object.columns.insert(column)
            operation = placed(sent, object, column, changeset)
            let outcome = object.joinNoting(operation, column, stamp: changeset.stamp, isPlaced: operation != sent)
            if outcome == .noEffect { object.effective = false }
            return
        case .add(let target, let property, let addition):
            guard let column = plan.columns[property] else { return }
            try load(column, of: object)
            object.columns.insert(column)
            operation = .add(target, property: property, based(addition, object, column, seen: changeset.seen(target)))
        }
        let sets = plan.counterColumns.isEmpty ? [] : standingSets(of: object)
        defer { if !sets.isEmpty { noteSets(of: object, sets) } }
        if object.state.join(operation, stamp: changeset.stamp) == .noEffect { object.effective = false }
    }

    /// Notes objects of a top-level class that have come, or have gone when their number is negative.
    func noteObjects(_ count: Int, by creator: ClientID) { creators.add(count, by: creator) }

    /// How many more objects of a user there are since the version began.
    func changeOfObjects(of user: String) throws(StoreFailure) -> Int {
        try creators.change(of: user, in: transaction)
    }

    func note(_ object: WorkingObject) {
        object.isTouched = true
        guard !object.isUnwritten else { return }
        object.isUnwritten = true
        unwritten.append(object)
    }

    // MARK: - The end of the version

    /// Writes what this version did into the history, and counts the objects of users.
    ///
    /// - Parameter editedBytesMin: `StoreEmbedded.Options.editedBytesMin`.
    func finish(_ meta: inout Meta, editedBytesMin: Int) throws(StoreFailure) {
        var record = HistoryRecord(client: client)
        record.births = creation.births
        var images: [(number: Int, bytes: [UInt8])] = []
        var edits: [(number: Int, column: Int, bytes: [UInt8])] = []
        var rootNames: [ObjectName] = []
        let isSmall = SmallImage.areKept(
            births: record.births.count, touched: order.lazy.filter(\.isTouched).count)
        roots = Ascent()
        for object in order where object.isTouched {
            let isEmbedded = object.plan.schema.kind == .embedded
            let root =
                isEmbedded
                ? object.root ?? object.key.flatMap { rootName(of: Row(object.plan.number, $0)) } : nil
            if let root { rootNames.append(root) }
            var before = HistoryRecord.Entry.Before.absent
            var small: [UInt8]?
            if let image = object.image {
                let holdsSomething =
                    !image.fields.isEmpty || !image.parts.isEmpty
                before = holdsSomething ? .image : .unchanged
                if holdsSomething, isSmall { small = SmallImage.encoded(image, object.plan.columns) }
                if holdsSomething, small == nil {
                    images.append((record.entries.count, image.encoded(with: object.imageBytes)))
                }
            }
            let kept = object.keptEdits(bytesMin: editedBytesMin)
            for edit in kept.edits { edits.append((record.entries.count, edit.column, edit.bytes)) }
            record.entries.append(
                HistoryRecord.Entry(
                    name: object.name, row: object.firstKey, before: before, columns: object.columns,
                    effective: object.effective, livesDiffer: object.livesDiffer, root: root, edited: kept.edited,
                    altered: kept.altered, smallImage: small))
        }
        // Objects of which only embedded objects were touched count as touched too.
        var named = rootNames.isEmpty ? [] : Set(record.entries.map(\.name))
        for root in rootNames where named.insert(root).inserted {
            guard let key = table(root.classNumber).key(for: root.key) else { continue }
            record.entries.append(
                HistoryRecord.Entry(
                    name: root, row: key, before: .unchanged, columns: PropertyNumbers(), effective: true, root: nil))
        }
        CreatorTree(in: transaction).add(try creators.settled(in: transaction))
        HistoryTree(in: transaction).append(record, images: images, edits: edits, at: version, &meta)
    }
}
