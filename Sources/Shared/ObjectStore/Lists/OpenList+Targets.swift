import CausewayModel

// A deleted object leaves the lists that hold it. Nobody knows its positions, so each list is searched. The search
// waits until the list is next used, and then finds all targets that were deleted meanwhile. Deleting what a long list
// holds costs one pass over it, unless the list is read between the deletions.
//
// Values of maps, and of lists of mixed values, become null instead, so that all others keep their places.

extension OpenList {
    /// Removes deleted targets from the list, the last first, and notes the edits.
    func settle() {
        guard !doomed.isEmpty else { return }
        let targets = doomed
        doomed = []
        leaveNear()
        var end = count
        if let root { remove(targets, from: root, before: &end) }
        for number in groups.indices.reversed() {
            let group = groups[number]
            load(group)
            for index in group.parts.indices.reversed() {
                let chunk = chunk(index, of: group)
                let removed = remove(targets, from: chunk, before: &end)
                if keepsPlaces { group.isChanged = true }
                guard removed > 0 else { continue }
                group.parts[index].count -= removed
                group.count -= removed
                group.isChanged = true
                // The chunk before was not searched yet, so a chunk joins only the next one.
                if chunk.isSparse { join(index, in: group) }
            }
            tidy(number)
        }
        if groups.isEmpty, root == nil { clear() }
    }

    @discardableResult
    private func remove(_ targets: Set<ClassedKey>, from chunk: ListChunk, before end: inout Int) -> Int {
        let positions = chunk.positions(of: targets)
        if keepsPlaces {
            end -= chunk.count
            for position in positions.reversed() {
                chunk.set(position, .null)
                note(.set(end + position, .null))
            }
            return 0
        }
        end -= chunk.count
        for position in positions.reversed() {
            chunk.remove(at: position)
            note(.remove(end + position))
        }
        shrink(by: positions.count)
        return positions.count
    }
}

extension Property {
    /// Whether an element becomes null in its place when its target is deleted.
    var keepsPlaces: Bool { collection == .map || collection == .list && type == .mixed }
}
