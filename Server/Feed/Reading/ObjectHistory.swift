package import CausewayModel
package import CausewaySession
package import CausewayStore

/// What happened to one object, the newest first: a page of it, found step by step.
///
/// 1. Goes back through the versions until it has those of the page.
/// 2. Goes forward from the oldest of them to the newest version, for what later versions found: see `FeedWindow`.
/// 3. Makes an event of each.
///
/// Unchecked: one thread at a time uses it, each step after the one before.
package final class ObjectHistory: @unchecked Sendable {
    private let snapshot: any StoreSnapshot
    private let name: ObjectName
    private let countMax: Int
    private let stepsMax: Int
    /// How many steps one of the two ways has taken.
    private var steps = 0
    /// The version that is looked at next on the way back.
    private var back: ServerVersion
    /// The row that the object was in at the version before; nil when nobody knows any more.
    private var row: ObjectKey?
    /// The versions of the page, the newest first.
    private var found: [Found] = []
    private var isFound = false
    private var window: FeedWindow?
    private var isWindowWhole = false
    /// How many versions of the page are told.
    private var told = 0

    /// A version that did something to the object.
    private struct Found {
        var version: ServerVersion
        /// The row, if the version made it.
        var born: ObjectKey?
        /// The row that the object was in before.
        var rowBefore: ObjectKey?
    }

    /// Where a page begins: all that is told happened before a version. The row is that of the object at that time.
    package struct Place: Hashable, Sendable {
        package var before: ServerVersion
        var row: ObjectKey?

        init(before: ServerVersion, row: ObjectKey?) {
            self.before = before
            self.row = row
        }

        /// `17` or `17.4`: the version, and the row where it is known. Nil for a text that is no place.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard let version = UInt64(parts[0]), version > 0 else { return nil }
            before = ServerVersion(version)
            guard parts.count > 1 else { return }
            guard let number = Int64(parts[1]) else { return nil }
            row = ObjectKey(number)
        }

        package var text: String { String(before.rawValue) + (row.map { ".\($0.rawValue)" } ?? "") }
    }

    /// Steps of each of the two ways: with steps of 20 ms, two seconds of a thread.
    package static let stepsMax = 100

    /// - Parameters:
    ///   - place: where the page begins; nil for the newest version.
    ///   - countMax: how many events the page has at most.
    package init(
        of name: ObjectName, in snapshot: any StoreSnapshot, from place: Place?, countMax: Int,
        stepsMax: Int = ObjectHistory.stepsMax
    ) {
        self.snapshot = snapshot
        self.name = name
        self.countMax = countMax
        self.stepsMax = stepsMax
        back = min(place?.before.previous ?? snapshot.version, snapshot.version)
        row = place.map(\.row) ?? snapshot.row(name)?.key
    }

    /// The oldest version of which the history tells.
    package var oldest: ServerVersion { ServerVersion(snapshot.historyStart.rawValue + 1) }

    /// From where to go on with the next page; nil where the history has no more.
    package var next: Place? {
        if told > 0, told < found.count {
            return Place(before: found[told - 1].version, row: found[told - 1].rowBefore)
        }
        return back > snapshot.historyStart ? Place(before: back.next, row: row) : nil
    }

    /// Goes on for a step.
    ///
    /// - Parameter emit: is handed each event in turn, the newest first; false ends the page behind it.
    /// - Returns: whether the page is complete. It may be short when the versions were too many for one request.
    package func step(
        until end: StepEnd, _ emit: (ChangeEvent) -> Bool
    ) throws(StoreFailure) -> Bool {
        steps += 1
        if !isFound {
            guard try goBack(until: end) || steps >= stepsMax else { return false }
            (isFound, steps) = (true, 1)
            guard let oldest = found.last?.version else { return true }
            window = FeedWindow(after: oldest.previous)
        }
        if !isWindowWhole {
            guard try goForward(until: end) else {
                guard steps < stepsMax else { throw .tooLong }
                return false
            }
            isWindowWhole = true
        }
        return try tell(until: end, emit)
    }

    // MARK: - Back

    /// - Returns: whether the page has its versions, or the history no more.
    private func goBack(until end: StepEnd) throws(StoreFailure) -> Bool {
        while back > snapshot.historyStart, found.count < countMax {
            take(try snapshot.keptRecord(of: back))
            back = back.previous
            if end.isReached { break }
        }
        return back <= snapshot.historyStart || found.count >= countMax
    }

    private func take(_ record: VersionRecord) {
        var isTouched = false
        for touch in record.touches where touch.name == name || touch.root == name {
            isTouched = true
            if touch.name == name { row = touch.row ?? row }
        }
        var born: ObjectKey?
        if let row, record.births.contains(where: { $0.classNumber == name.classNumber && $0.keys.contains(row) }) {
            born = row
            self.row = nil
        }
        if isTouched || born != nil { found.append(Found(version: record.version, born: born, rowBefore: row)) }
    }

    // MARK: - Forward

    /// - Returns: whether the window knows all later versions.
    private func goForward(until end: StepEnd) throws(StoreFailure) -> Bool {
        while let scanned = window?.scanned, scanned < snapshot.version {
            let record = try snapshot.keptRecord(of: scanned.next)
            if let page = found.first(where: { $0.version == record.version }) {
                window?.gather(record, about: name, born: page.born)
            } else {
                window?.learn(record)
            }
            if end.isReached { break }
        }
        return window?.scanned == snapshot.version
    }

    /// Values of large objects are made for one event at a time.
    ///
    /// - Returns: whether the page is told, or as much of it as is wanted.
    private func tell(until end: StepEnd, _ emit: (ChangeEvent) -> Bool) throws(StoreFailure) -> Bool {
        guard let window else { return true }
        while told < window.versions.count {
            let version = window.versions[window.versions.count - 1 - told]
            told += 1
            // Of each version: what it found is forgotten before the next one.
            let telling = try FeedTelling(snapshot, window, FeedSelection(tellsBefore: true, tellsAfter: true), nil)
            for number in 0..<version.count {
                guard let candidate = version.candidate(number), let event = try telling.event(candidate, version)
                else { continue }
                if !emit(event) { return true }
            }
            if end.isReached { return told == window.versions.count }
        }
        return true
    }
}

extension StoreFailure {
    fileprivate static let tooLong = StoreFailure(
        .interrupted,
        "The history behind this page is too long for one request. Read the changes of the class from the change feed.")
}
