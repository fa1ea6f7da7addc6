package import CausewayModel

// An object that leaves a view stays on the device for what is pending. What others do to it since, the writer is not
// told, though its base goes on. `Merge/RULES.md`, "Stale about one object".

extension Changeset {
    /// Objects that had left the writer's view and stayed on its device for what was pending.
    package struct LastSeen: Hashable, Sendable {
        /// When they left, or earlier: a number of `run`.
        package var version: ServerVersion
        /// The run of the server that committed the version; nil for the run of the base. Nil comes first, the others
        /// ascend.
        package var run: UInt64?
        package var objects: Set<ObjectReference>

        /// Where it stands among the entries of a changeset.
        var rank: (UInt8, UInt64) { run.map { (1, $0) } ?? (0, 0) }

        package init(_ version: ServerVersion, of run: UInt64? = nil, _ objects: Set<ObjectReference>) {
            self.version = version
            self.run = run
            self.objects = objects
        }
    }

    /// The server version up to which the writer had seen what became of an object.
    ///
    /// - Precondition: all versions are numbers of one past (`mergeLastSeen`).
    package func seen(_ object: ObjectReference) -> ServerVersion {
        lastSeen.reduce(base) { $1.objects.contains(object) ? min($0, $1.version) : $0 }
    }

    /// Makes one entry of all, with the lowest version: it may say less than was seen, and never more.
    ///
    /// - Parameter versionHere: what this server has of the past of a version that a run committed.
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
