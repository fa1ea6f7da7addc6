package import CausewayModel

/// Which runs of the server made which versions: what tells a server that was restored from an older copy of its file
/// from one that was only started again.
///
/// A *run* is one opening of the database for writing. It draws an id, and is entered with its first commit, in that
/// commit's transaction: a run that commits nothing makes no version, so nothing needs its name, and a start costs no
/// write. A checkpoint names the run that committed its version. After a restore both the old run and the new one have
/// a version n, but the copy's list says that the old run ended before n.
///
///     0 ──run a──▶ 40 ──run b──▶ 90           copied at 60, restored, opened as run c:
///     0 ──run a──▶ 40 ──run b──▶ 60 ──run c──▶ 95        90 of run b is lost; 60 of run b, 40 of run a are known
package struct Lineage: Hashable, Sendable {
    package struct Run: Hashable, Sendable {
        package var id: UInt64
        /// The run's first version is the next one.
        package var begin: ServerVersion

        package init(id: UInt64, begin: ServerVersion) {
            self.id = id
            self.begin = begin
        }
    }

    /// In order, as far as the history that is kept has any of their versions.
    package private(set) var runs: [Run]

    package init(_ runs: [Run] = []) {
        self.runs = runs
    }

    /// The run that committed a version; zero for one before all runs that are listed.
    package func run(of version: ServerVersion) -> UInt64 {
        runs.last { $0.begin < version }?.id ?? 0
    }

    /// Whether this database has had this version of that run.
    package func knows(_ version: ServerVersion, of id: UInt64, newest: ServerVersion) -> Bool {
        guard version <= newest else { return false }
        if id == 0 { return version <= (runs.first?.begin ?? newest) }
        guard let index = runs.firstIndex(where: { $0.id == id }) else { return false }
        return version > runs[index].begin && (index + 1 == runs.count || version <= runs[index + 1].begin)
    }

    /// What this database has of the past of a version that a run committed: the version itself, unless a restore has lost
    /// it. Then it is the last version that both have in common; of a run that is not listed it is the one on which the
    /// run began that has this number here.
    package func shared(_ version: ServerVersion, of id: UInt64, newest: ServerVersion) -> ServerVersion {
        guard id != 0, !runs.isEmpty else { return min(version, newest) }
        guard let index = runs.firstIndex(where: { $0.id == id }) else {
            // A run that was folded made nothing that is newer than the runs that are listed. A number of one that was lost
            // is another's here, which began at the copy or behind it.
            return min(version, newest, runs.last { $0.begin < version }?.begin ?? version)
        }
        return index + 1 < runs.count ? min(version, runs[index + 1].begin) : min(version, newest)
    }

    /// A run commits on top of a version. Returns whether anything changed.
    package mutating func commit(by id: UInt64, after version: ServerVersion) -> Bool {
        guard runs.last?.id != id else { return false }
        runs.append(Run(id: id, begin: version))
        return true
    }

    /// Forgets runs all of whose versions are older than the history: their devices are resynced anyway.
    package mutating func fold(before historyStart: ServerVersion) -> Bool {
        let count = runs.indices.prefix { $0 + 1 < runs.count && runs[$0 + 1].begin < historyStart }.count
        runs.removeFirst(count)
        return count > 0
    }
}
