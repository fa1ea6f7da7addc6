import CausewayModel
import CausewayStorage

extension OpenList {
    /// Writes what changed to the storage: the one entry of a short list, or the changed chunks of a long one, the
    /// groups they are in, and the head.
    func store(to writer: any StorageWriter, _ tree: UInt32) {
        settle()
        leaveNear()
        if let root, !root.isEdited { return }
        if count == 0 {
            writer.remove(tree, ListKey.head(key))
        } else if let short = shortBytes {
            dropAll()
            writer.put(tree, ListKey.head(key), short)
        } else {
            storeChunks(to: writer, tree)
        }
        for id in dropped { writer.remove(tree, ListKey.part(key, id)) }
    }

    /// The bytes of a list that is one entry; nil when it is too long for that.
    private var shortBytes: [UInt8]? {
        guard count <= ListBounds.shortCount else { return nil }
        let bytes = root?.encoded ?? ListBytes.encode(values, type)
        return bytes.count <= ListBounds.shortBytes ? bytes : nil
    }

    private func storeChunks(to writer: any StorageWriter, _ tree: UInt32) {
        if let root { groups = [ListGroup(parts: [ListGroup.Part(root)])] }
        root = nil
        let isOneGroup = groups.count == 1
        for group in groups where group.isChanged {
            store(group, to: writer, tree)
            if isOneGroup { continue }
            if group.id == 0 { group.id = takeID() }
            writer.put(tree, ListKey.part(key, group.id), ListHead.encode(group.directory))
        }
        var parts = groups.map { ListPart(id: $0.id, count: $0.count) }
        if isOneGroup {
            // The directory of a single group is part of the head.
            load(groups[0])
            parts = groups[0].directory
            drop(groups[0].id)
            groups[0].id = 0
        }
        let head = ListHead(count: count, hasGroups: !isOneGroup, nextID: nextID, parts: parts)
        writer.put(tree, ListKey.head(key), head.encoded)
    }

    private func store(_ group: ListGroup, to writer: any StorageWriter, _ tree: UInt32) {
        for index in group.parts.indices {
            guard let chunk = group.parts[index].chunk, chunk.isEdited else { continue }
            if group.parts[index].id == 0 { group.parts[index].id = takeID() }
            writer.put(tree, ListKey.part(key, group.parts[index].id), chunk.encoded)
        }
    }

    private func takeID() -> UInt32 {
        let id = nextID
        nextID += 1
        return id
    }
}
