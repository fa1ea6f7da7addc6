import CausewayModel
import CausewayStorage

/// One list as one transaction sees it, while it is used.
///
/// 1. The elements are in `root`, or in the chunks of `groups` in order; never in both. No chunk in a group and no group
///    is empty.
/// 2. Chunks are read from the file when they are first needed, and get memory of their own when they are first changed.
/// 3. A part with number 0 is not stored; those with a number are, or were when the write began.
/// 4. `near` is the chunk used last, because most uses of a list go on where the last one was. Its group learns of
///    insertions and removals in it when the list leaves the chunk.
/// 5. `doomed` are deleted targets that may still be among the elements; `settle()` takes them out. Every use of the
///    list settles first, except adding to `doomed`.
final class OpenList {
    let key: ObjectKey
    let column: Int
    let type: PropertyType
    let isOptional: Bool
    /// Whether a deleted target leaves null in its place.
    let keepsPlaces: Bool
    /// Not counted: the table owns its open lists.
    private unowned(unsafe) let table: Table

    // Here and below, exclusivity is not checked where every element would pay for it: a list is used by one thread, and
    // nothing that it calls while it changes calls back.
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) var root: ListChunk?
    @exclusivity(unchecked) var groups: [ListGroup] = []
    var nextID: UInt32 = 1
    /// Numbers of stored parts that are no longer used.
    var dropped: [UInt32] = []

    /// Whether it may be changed: its object exists, and the commit writes it.
    @exclusivity(unchecked) private(set) var isWritten = false
    /// How many elements it had when this write first changed it.
    private var countBefore = 0
    @exclusivity(unchecked) var doomed: Set<ClassedKey> = []
    /// The edits of this write, if they are noted.
    @exclusivity(unchecked) private(set) var edits: [ListEdit] = []
    @exclusivity(unchecked) var isNoted = false

    /// Not counted: the root or a group owns it, and the list forgets it before they let go of it.
    @exclusivity(unchecked) private var near: Unmanaged<ListChunk>?
    @exclusivity(unchecked) private(set) var nearStart = 0
    @exclusivity(unchecked) private(set) var nearCount = 0
    @exclusivity(unchecked) private var isNearChanged = false
    private var nearGroup = 0
    private var nearPart = 0
    /// The places of all chunks, once there were enough reads at random positions. `finds` counts them for one
    /// `listVersion`.
    private(set) var directory: ListDirectory?
    private var finds: (version: UInt, count: Int) = (0, 0)

    /// Opens the list as it is stored.
    init(_ key: ObjectKey, _ column: Int, of table: Table) {
        self.key = key
        self.column = column
        self.table = table
        type = table.elementType(column)
        isOptional = column >= 0 && table.schema.properties[column].isOptional
        keepsPlaces = column >= 0 && table.schema.properties[column].keepsPlaces
        load()
    }

    // MARK: - From the file

    private var tree: UInt32 { table.listTree(column) }

    private func load() {
        guard let bytes = table.transaction.reader.get(tree, ListKey.head(key)) else { return }
        if let list = ListBytes(bytes, type) {
            root = ListChunk(list)
            count = list.count
        } else if let head = ListHead(bytes) {
            count = head.count
            nextID = head.nextID
            groups =
                head.hasGroups
                ? head.parts.map { ListGroup($0) } : [ListGroup(chunks: head.parts, count: head.count)]
        } else {
            noteDamage()
        }
    }

    private func noteDamage() {
        table.transaction.noteDamage(table.transaction.store.damaged())
    }

    /// A group's directory, read when it is first needed.
    func load(_ group: ListGroup) {
        if group.isLoaded { return }
        if let bytes = table.transaction.reader.get(tree, ListKey.part(key, group.id)),
            let chunks = ListHead.chunks(ofGroup: bytes, count: group.count)
        {
            group.load(chunks)
            return
        }
        noteDamage()
        group.load([ListPart(id: 0, count: group.count)])
        group.parts[0].chunk = damagedChunk(group.count)
    }

    func chunk(_ index: Int, of group: ListGroup) -> ListChunk {
        if let chunk = group.parts[index].chunk { return chunk }
        let part = group.parts[index]
        let chunk = storedChunk(part.id, part.count) ?? damagedChunk(part.count)
        group.parts[index].chunk = chunk
        return chunk
    }

    private func storedChunk(_ id: UInt32, _ count: Int) -> ListChunk? {
        guard let bytes = table.transaction.reader.get(tree, ListKey.part(key, id)),
            let list = ListBytes(bytes, type), list.count == count
        else { return nil }
        return ListChunk(list)
    }

    private func damagedChunk(_ count: Int) -> ListChunk {
        noteDamage()
        return ListChunk(type, damaged: ElementLayout.blank(type, isOptional: isOptional), count: count)
    }

    // MARK: - Reading

    /// The chunk that holds a position, or the last chunk for the position behind the last element. It becomes the near
    /// one, and stays valid until the list changes.
    @inline(__always)
    func approach(_ index: Int, isInsertion: Bool = false) -> Unmanaged<ListChunk> {
        if let near {
            let offset = index &- nearStart
            if offset >= 0, offset < nearCount || (isInsertion && offset == nearCount) { return near }
        }
        return find(isInsertion && index == count ? index - 1 : index)
    }

    private func find(_ index: Int) -> Unmanaged<ListChunk> {
        leaveNear()
        nearStart = 0
        let chunk = root ?? findInGroups(index)
        let unmanaged = Unmanaged.passUnretained(chunk)
        near = unmanaged
        nearCount = chunk.count
        return unmanaged
    }

    private func findInGroups(_ index: Int) -> ListChunk {
        if let directory, directory.version == table.listVersion.pointee {
            (nearGroup, nearPart, nearStart) = directory.place(of: index)
            return chunk(nearPart, of: groups[nearGroup])
        }
        var start = 0
        nearGroup = 0
        while start + groups[nearGroup].count <= index {
            start += groups[nearGroup].count
            nearGroup += 1
        }
        let group = groups[nearGroup]
        load(group)
        nearPart = group.part(at: index - start, &start)
        nearStart = start
        return chunk(nearPart, of: group)
    }

    /// Leaves the near chunk, and tells its group what changed there.
    func leaveNear() {
        near = nil
        guard isNearChanged else { return }
        isNearChanged = false
        if root != nil { return }
        let group = groups[nearGroup]
        group.count += nearCount - group.parts[nearPart].count
        group.parts[nearPart].count = nearCount
        group.isChanged = true
    }

    /// Counts a read at a random position while nobody changes the list. After many of them the list gets a directory.
    /// That costs a pass over the counts of all chunks: about as much as the searches before it.
    func noteFind() {
        let version = table.listVersion.pointee
        if directory?.version == version || groups.isEmpty { return }
        if finds.version != version { finds = (version, 0) }
        finds.count += 1
        if finds.count > 2 + groups.count * 2 { makeDirectory(version) }
    }

    private func makeDirectory(_ version: UInt) {
        leaveNear()
        var chunks: [ListDirectory.Place] = []
        var start = 0
        for (number, group) in groups.enumerated() {
            load(group)
            for (index, part) in group.parts.enumerated() {
                let elements = part.chunk?.plainElements
                chunks.append(ListDirectory.Place(group: number, part: index, start: start, elements: elements))
                start += part.count
            }
        }
        // A list whose counts contradict each other gets no directory.
        if start == count { directory = ListDirectory(chunks, count: count, version: version) }
    }

    func value(_ index: Int) -> Value {
        approach(index)._withUnsafeGuaranteedRef { $0.value(index - nearStart) }
    }

    /// All elements; what cannot be read is left out.
    var values: [Value] {
        var result: [Value] = []
        forEachChunk { $0.append(to: &result) }
        return result
    }

    private func forEachChunk(_ body: (ListChunk) -> Void) {
        if let root { body(root) }
        for group in groups {
            load(group)
            for index in group.parts.indices { body(chunk(index, of: group)) }
        }
    }

    // MARK: - Changing

    func insert(_ value: Value, at index: Int) {
        precondition(index >= 0 && index <= count, "an element was inserted behind the end of its list")
        if count == 0 { begin() }
        let isOverfull = approach(index, isInsertion: true)._withUnsafeGuaranteedRef { chunk in
            chunk.insert(value, at: index - nearStart)
            return chunk.isOverfull
        }
        nearGrew(by: 1)
        if isOverfull { splitNear(at: index) }
    }

    /// Appends to the chunk used last if nothing else is to be done, which holds for most elements. False otherwise.
    @inline(__always)
    func appendNear(_ value: Value, _ key: ObjectKey, _ column: Int) -> Bool {
        guard self.key == key, self.column == column, isWritten, !isNoted, doomed.isEmpty, let near,
            nearStart &+ nearCount == count
        else { return false }
        let isAppended = near._withUnsafeGuaranteedRef { chunk in
            switch (type, value) {
            case (.int, .int(let number)): chunk.append(number)
            case (.double, .double(let number)): chunk.append(number)
            default: false
            }
        }
        if isAppended { nearGrew(by: 1) }
        return isAppended
    }

    /// Appends links, and notes each.
    func append(_ keys: [ObjectKey]) {
        if isNoted { edits.reserveCapacity(edits.count + keys.count) }
        for key in keys {
            let index = count
            insert(.object(key), at: index)
            note(.insert(index, .object(key)))
        }
    }

    func remove(at index: Int) {
        precondition(index >= 0 && index < count, "an element that is not in its list was removed")
        if count == 1 {
            clear()
            return
        }
        let isSparse = approach(index)._withUnsafeGuaranteedRef { chunk in
            chunk.remove(at: index - nearStart)
            return chunk.isSparse
        }
        nearGrew(by: -1)
        if isSparse { joinNear() }
    }

    func set(_ index: Int, _ value: Value) {
        precondition(index >= 0 && index < count, "an element that is not in its list was replaced")
        let isOverfull = approach(index)._withUnsafeGuaranteedRef { chunk in
            chunk.set(index - nearStart, value)
            return chunk.isOverfull
        }
        isNearChanged = true
        if isOverfull { splitNear(at: index) }
    }

    func clear() {
        doomed = []
        dropAll()
        begin()
    }

    private func begin() {
        near = nil
        isNearChanged = false
        root = ListChunk(type)
        groups = []
        count = 0
    }

    @inline(__always)
    private func nearGrew(by difference: Int) {
        count &+= difference
        nearCount &+= difference
        isNearChanged = true
    }

    @inline(__always)
    func note(_ edit: ListEdit) {
        if isNoted { edits.append(edit) }
    }

    func beginWriting() {
        isWritten = true
        countBefore = count
    }

    /// The object that owns it has ended.
    func endWriting() {
        isWritten = false
        isNoted = false
        edits = []
        clear()
    }

    /// Notes that everything was removed and what is there was added, whatever the write did.
    func noteReplacement() {
        edits = countBefore > 0 ? [.clear(countBefore)] : []
        edits += values.enumerated().map { .insert($0.offset, $0.element) }
    }

    func shrink(by difference: Int) {
        count -= difference
    }

    func drop(_ id: UInt32) {
        if id != 0 { dropped.append(id) }
    }

    /// Drops all stored parts.
    func dropAll() {
        for group in groups {
            load(group)
            drop(group.id)
            for part in group.parts { drop(part.id) }
        }
    }

    // MARK: - Chunks

    /// Splits a list that was stored as one long entry into chunks.
    func cut() {
        guard let root, root.isOverfull else { return }
        let length = min(max(1, root.count * ListBounds.chunkBits / root.bits), ListBounds.chunkCount)
        let parts = stride(from: 0, to: count, by: length).map { start in
            ListGroup.Part(root.slice(start..<min(start + length, count)))
        }
        groups = stride(from: 0, to: parts.count, by: ListBounds.groupCount).map { start in
            ListGroup(parts: Array(parts[start..<min(start + ListBounds.groupCount, parts.count)]))
        }
        leaveNear()
        self.root = nil
    }

    /// Splits the near chunk after an insertion. A list that is filled from one end gets full chunks.
    private func splitNear(at index: Int) {
        leaveNear()
        if let root {
            self.root = nil
            groups = [ListGroup(parts: [ListGroup.Part(root)])]
            nearGroup = 0
            nearPart = 0
        }
        let group = groups[nearGroup]
        let chunk = chunk(nearPart, of: group)
        let rest = chunk.split(at: index == count - 1 ? chunk.count - 1 : index == 0 ? 1 : chunk.count / 2)
        group.parts[nearPart].count = chunk.count
        group.parts.insert(ListGroup.Part(rest), at: nearPart + 1)
        group.isChanged = true
        if group.parts.count > ListBounds.groupCount { split(nearGroup) }
    }

    private func split(_ index: Int) {
        let group = groups[index]
        // The last group keeps nearly all, because lists grow there.
        let place = index == groups.count - 1 ? group.parts.count - 1 : group.parts.count / 2
        groups.insert(group.split(at: place), at: index + 1)
    }

    /// Joins the near chunk with a neighbour, after a removal.
    private func joinNear() {
        leaveNear()
        if root != nil { return }
        let group = groups[nearGroup]
        if !join(nearPart, in: group), nearPart > 0 { join(nearPart - 1, in: group) }
        tidy(nearGroup)
    }

    /// Drops a chunk that became empty, or joins it with the next if one of them has little left.
    @discardableResult
    func join(_ index: Int, in group: ListGroup) -> Bool {
        let chunk = chunk(index, of: group)
        if chunk.count == 0 {
            drop(group.parts[index].id)
            group.parts.remove(at: index)
            return true
        }
        guard index + 1 < group.parts.count else { return false }
        let next = self.chunk(index + 1, of: group)
        guard chunk.isSparse || next.isSparse, chunk.fits(next) else { return false }
        chunk.append(next)
        group.parts[index].count = chunk.count
        drop(group.parts[index + 1].id)
        group.parts.remove(at: index + 1)
        return true
    }

    /// Drops a group that became empty, or joins it with the next if it has little left.
    func tidy(_ index: Int) {
        let group = groups[index]
        if group.parts.isEmpty {
            drop(group.id)
            groups.remove(at: index)
            return
        }
        guard group.parts.count < ListBounds.groupCount / 4, index + 1 < groups.count else { return }
        let next = groups[index + 1]
        load(next)
        guard group.parts.count + next.parts.count <= ListBounds.groupCount * 3 / 4 else { return }
        group.append(next)
        drop(next.id)
        groups.remove(at: index + 1)
    }
}
