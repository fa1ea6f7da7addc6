package import CausewayModel

// An object that leaves a view stays on the device while something about it is pending. From then on the writer is not
// told what others do to it, although the writer's base advances. `Merge/RULES.md`, "Stale about one object".

extension Changeset {
    /// Objects that had left the writer's view and stayed on its device because something about them was pending.
    package struct LastSeen: Hashable, Sendable {
        /// The version at which they left, or an earlier one; committed by `run`.
        package var version: ServerVersion
        /// The run of the server that committed the version; nil for the run of the base. In a changeset, nil comes
        /// first, and the others ascend.
        package var run: UInt64?
        package var objects: Set<ObjectReference>

        /// Its place in the order of a changeset's entries.
        var rank: (UInt8, UInt64) { run.map { (1, $0) } ?? (0, 0) }

        package init(_ version: ServerVersion, of run: UInt64? = nil, _ objects: Set<ObjectReference>) {
            self.version = version
            self.run = run
            self.objects = objects
        }
    }

    /// The server version up to which the writer had seen an object.
    ///
    /// - Precondition: all versions are numbers of one past (`mergeLastSeen`).
    package func seen(_ object: ObjectReference) -> ServerVersion {
        lastSeen.reduce(base) { $1.objects.contains(object) ? min($0, $1.version) : $0 }
    }

    /// Merges all entries into one with the lowest version, which may claim less than was seen but never more.
    ///
    /// - Parameter versionHere: the version up to which this server has the past of a version that a run committed.
    package mutating func mergeLastSeen(_ versionHere: (ServerVersion, _ run: UInt64) -> ServerVersion) {
        guard var merged = lastSeen.first else { return }
        merged.version = versionHere(merged.version, merged.run ?? run)
        merged.run = nil
        for other in lastSeen.dropFirst() {
            merged.version = min(merged.version, versionHere(other.version, other.run ?? run))
            merged.objects.formUnion(other.objects)
        }
        lastSeen = [merged]
    }
}

extension [Changeset.LastSeen] {
    /// - Parameter run: nil for the run of the base.
    package mutating func note(_ object: ObjectReference, seen version: ServerVersion, of run: UInt64?) {
        if let index = firstIndex(where: { $0.run == run }) {
            self[index].version = Swift.min(self[index].version, version)
            self[index].objects.insert(object)
        } else {
            let entry = Changeset.LastSeen(version, of: run, [object])
            insert(entry, at: firstIndex { $0.rank > entry.rank } ?? endIndex)
        }
    }
}
