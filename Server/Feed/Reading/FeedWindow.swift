import CausewayModel
import CausewayStore

/// The next versions of the feed, and all that later ones did to the same objects.
///
/// The history keeps what a version found, not what it left. So what an object held after a version is in the images of the
/// versions that touched it next. The window knows which those are; it learns it by going over the history once, part by part,
/// and goes on from there as versions come.
struct FeedWindow {
    /// The versions that are told, oldest first.
    private(set) var versions: [FeedVersion] = []
    /// The newest of them; before the first the one that was told last.
    private(set) var gathered: ServerVersion
    /// The newest version whose touches are known.
    private(set) var scanned: ServerVersion
    /// By object, ascending.
    private var touches: [ObjectName: [PastTouch]] = [:]
    /// The objects that were born in the window and touched later, whose rows may be gone.
    private var born: [Row: ObjectName] = [:]
    /// Per class, the rows that were born in the window, ascending.
    private var births: [Int: [ClosedRange<ObjectKey>]] = [:]
    /// How much is known of an object behind the versions that are told.
    private var tails: [ObjectName: TouchTail] = [:]
    /// How many touches the versions that are told have left.
    private var touchCount = 0

    init(after version: ServerVersion) {
        (gathered, scanned) = (version, version)
    }

    // MARK: - Filling

    /// Adds a version to those that are told.
    mutating func gather(_ record: VersionRecord) {
        versions.append(FeedVersion(record))
        gathered = record.version
        for birth in record.births { insert(birth) }
        for touch in record.touches { touches[touch.name] = touches[touch.name] ?? [] }
        learn(record)
    }

    /// Adds a version of which only what it did to one object is told.
    ///
    /// - Parameter born: the row of the object, if the version made it.
    mutating func gather(_ record: VersionRecord, about name: ObjectName, born: ObjectKey?) {
        var part = record
        part.births = born.map { [.init(classNumber: name.classNumber, keys: $0...$0)] } ?? []
        part.touches = record.touches.filter { $0.name == name || $0.root == name }
        versions.append(FeedVersion(part))
        gathered = record.version
        for birth in part.births { insert(birth) }
        for touch in part.touches { touches[touch.name] = touches[touch.name] ?? [] }
        // With the places that the touches have in the whole: they are the numbers of the images.
        learn(record)
    }

    /// Notes what a version behind those did to their objects.
    mutating func learn(_ record: VersionRecord) {
        scanned = record.version
        for (number, touch) in record.touches.enumerated() where touch.root == nil {
            if let row = touch.row.map({ Row(touch.name.classNumber, $0) }), isBorn(row) {
                born[row] = touch.name
                if touches[touch.name] == nil { touches[touch.name] = [] }
            }
            note(touch, number, record.version)
        }
        for (number, touch) in record.touches.enumerated() {
            guard let root = touch.root else { continue }
            if touches[root] != nil, touches[touch.name] == nil { touches[touch.name] = [] }
            note(touch, number, record.version)
        }
    }

    private mutating func note(_ touch: VersionRecord.Touch, _ number: Int, _ version: ServerVersion) {
        // In place: a window may be about one object that every version touches.
        guard touches[touch.name] != nil else { return }
        let noted = PastTouch(
            image: ImageReference(version: version, number: UInt32(number)), before: touch.before, row: touch.row,
            columns: touch.columns)
        guard version > gathered else {
            touchCount += 1
            touches[touch.name]?.append(noted)
            return
        }
        switch tails[touch.name, default: TouchTail()].place(noted) {
        case .behind: touches[touch.name]?.append(noted)
        case .insteadOfLast:
            touches[touch.name]?.removeLast()
            touches[touch.name]?.append(noted)
        case .nowhere: break
        }
    }

    private mutating func insert(_ birth: VersionRecord.Birth) {
        let index = births[birth.classNumber]?.partitioningIndex { $0.lowerBound > birth.keys.lowerBound } ?? 0
        births[birth.classNumber, default: []].insert(birth.keys, at: index)
    }

    private func isBorn(_ row: Row) -> Bool {
        guard let ranges = births[row.classNumber] else { return false }
        let index = ranges.partitioningIndex { $0.lowerBound > row.key }
        return index > 0 && ranges[index - 1].contains(row.key)
    }

    /// How much the window holds, about: objects, versions, and what those did to the objects. What later versions did adds a
    /// few entries for each object, see `TouchTail`.
    var weight: Int { touches.count + versions.count + touchCount }

    // MARK: - Asking

    /// The name of a row that was born in the window.
    func name(of row: Row, _ snapshot: any StoreSnapshot) -> ObjectName? {
        born[row] ?? snapshot.name(of: row)
    }

    /// Whether an object was alive after a version.
    func isAlive(_ name: ObjectName, after version: ServerVersion, _ snapshot: any StoreSnapshot) -> Bool {
        if let next = later(name, version).first { return next.before != .absent }
        return snapshot.row(name) != nil
    }

    /// What happened to an object after a version.
    func later(_ name: ObjectName, _ version: ServerVersion) -> ArraySlice<PastTouch> {
        guard let all = touches[name] else { return [] }
        return all[all.partitioningIndex { $0.image.version > version }...]
    }
}
