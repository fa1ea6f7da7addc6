import CausewayModel
import CausewayQuery
import CausewayStore

/// Makes events of what versions did, as one reader may see it.
///
/// | before | after | told as |
/// |---|---|---|
/// | not visible | visible | created |
/// | visible | visible | updated |
/// | visible | not visible | deleted |
/// | not visible | not visible | nothing |
struct FeedTelling {
    private let lineage: Lineage
    private let snapshot: any StoreSnapshot
    private let window: FeedWindow
    private let selection: FeedSelection
    /// Nil for a reader who may read everything.
    private let rules: BoundRules?
    private let view: ViewThen

    init(
        _ snapshot: any StoreSnapshot, _ window: FeedWindow, _ selection: FeedSelection, _ permissions: Permissions?
    ) throws(StoreFailure) {
        self.snapshot = snapshot
        self.window = window
        self.selection = selection
        rules = permissions?.bound(in: snapshot.schema)
        view = ViewThen(snapshot, window)
        lineage = try snapshot.lineage()
    }

    /// The position behind so many candidates of a version.
    func position(behind count: Int, of version: FeedVersion) -> FeedPosition {
        let run = lineage.run(of: version.number)
        return count >= version.count
            ? FeedPosition(version.number, run: run)
            : FeedPosition(version.number.previous, events: count, run: run)
    }

    /// How many candidates, this one first, are of a class that the reader does not follow.
    func skips(_ candidate: FeedVersion.Candidate) -> Int {
        guard case .birth(let row, let left) = candidate, !follows(row.classNumber) else { return 0 }
        return left
    }

    private func follows(_ classNumber: Int) -> Bool {
        let name = snapshot.className(classNumber)
        guard selection.includes(name), !snapshot.isEmbedded(classNumber) else { return false }
        return rules.map { $0[name].map { $0.read != .constant(false) } ?? false } ?? true
    }

    /// Nil for what the reader is not told. The position is the caller's to fill in.
    func event(_ candidate: FeedVersion.Candidate, _ version: FeedVersion) throws(StoreFailure) -> ChangeEvent? {
        switch candidate {
        case .birth(let row, _):
            guard let name = window.name(of: row, snapshot) else { return nil }
            return try event(name, existed: false, PropertyNumbers(), version)
        case .touch(let touch):
            guard touch.root == nil, follows(touch.name.classNumber), !version.isBorn(touch) else { return nil }
            return try event(touch.name, existed: touch.before != .absent, touch.columns, version)
        }
    }

    private func event(
        _ name: ObjectName, existed: Bool, _ columns: PropertyNumbers, _ made: FeedVersion
    ) throws(StoreFailure) -> ChangeEvent? {
        let record = made.record
        let className = snapshot.className(name.classNumber)
        let read = rules?[className]?.read ?? .constant(rules == nil)
        let (earlier, version) = (record.version.previous, record.version)
        var (wasVisible, isVisible) = (existed, window.isAlive(name, after: version, snapshot))
        if wasVisible { wasVisible = try view.matches(read, name, after: earlier) }
        if isVisible { isVisible = try view.matches(read, name, after: version) }
        let kind: ChangeEvent.Kind
        switch (wasVisible, isVisible) {
        case (false, false): return nil
        case (false, true): kind = .created
        case (true, true): kind = .updated
        case (true, false): kind = .deleted
        }
        let hiddenBefore = wasVisible ? try hidden(name, className, after: earlier) : []
        let hiddenAfter = isVisible ? try hidden(name, className, after: version) : []
        let written = kind == .updated ? changed(name, className, columns, made) : []
        let unreadable = hiddenBefore.intersection(hiddenAfter)
        let told = written.filter { !unreadable.contains($0) }
        // Who may not read a property is not told when it is written either.
        if told.isEmpty, !written.isEmpty, hiddenBefore == hiddenAfter { return nil }
        var event = ChangeEvent(
            position: FeedPosition(version), version: version, time: record.time, author: try author(of: record),
            className: className, key: name.key, kind: kind, changed: names(told, className))
        if wasVisible, selection.tellsBefore {
            event.before = try view.values(of: name, after: earlier, without: hiddenBefore)
        }
        if isVisible, selection.tellsAfter {
            event.after = try view.values(of: name, after: version, without: hiddenAfter)
        }
        return event
    }

    /// The properties that were written, those that hold embedded objects among them.
    private func changed(
        _ name: ObjectName, _ className: String, _ columns: PropertyNumbers, _ version: FeedVersion
    ) -> [Int] {
        guard let properties = snapshot.schema[className]?.properties else { return [] }
        let parts = Set(version.touchedParts(of: name).map { ExactString(snapshot.className($0)) })
        return properties.indices.filter { number in
            let holdsPart = !parts.isEmpty && holds(properties[number], oneOf: parts)
            return columns.contains(number) || holdsPart
        }
    }

    private func names(_ numbers: [Int], _ className: String) -> [String] {
        guard let properties = snapshot.schema[className]?.properties else { return [] }
        return numbers.map { properties[$0].name }
    }

    /// Whether a property may hold an embedded object of one of these classes, at some depth.
    private func holds(_ property: Property, oneOf parts: Set<ExactString>) -> Bool {
        if property.type == .mixed { return parts.contains { NestedCollection(className: $0.string) != nil } }
        guard let target = property.target, snapshot.schema[target]?.kind == .embedded else { return false }
        if parts.contains(ExactString(target)) { return true }
        // Deeper ones: any property that leads to embedded objects may be the one.
        return snapshot.schema[target]?.properties.contains { $0.target != nil || $0.type == .mixed } ?? false
    }

    /// The properties that the reader may not read of an object as it was.
    private func hidden(
        _ name: ObjectName, _ className: String, after version: ServerVersion
    ) throws(StoreFailure) -> Set<Int> {
        var hidden: Set<Int> = []
        for (column, rule) in rules?[className]?.readable ?? [:]
        where !(try view.matches(rule, name, after: version)) {
            hidden.insert(column)
        }
        return hidden
    }

    /// Who else writes is none of the business of readers whom rules restrict.
    private func author(of record: VersionRecord) throws(StoreFailure) -> ChangeEvent.Author? {
        guard rules == nil, record.author != .nobody else { return nil }
        return ChangeEvent.Author(client: record.author, user: try snapshot.user(of: record.author))
    }
}
