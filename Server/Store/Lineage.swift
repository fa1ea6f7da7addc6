package import CausewayModel

/// Which runs of the server made which versions. This tells a server that was restored from an older copy of its file
/// from one that was only restarted.
///
/// A *run* is one opening of the database for writing. It draws an id, and the id is recorded with the run's first
/// commit, in the same transaction. A run that commits nothing makes no version, so nothing needs its name, and a start
/// costs no write. A checkpoint names the run that committed its version. After a restore both the old run and the new
/// one have a version n, but the copy's list says that the old run ended before n.
///
///     0 ──run a──▶ 40 ──run b──▶ 90           copied at 60, restored, opened as run c:
///     0 ──run a──▶ 40 ──run b──▶ 60 ──run c──▶ 95        90 of run b is lost; 60 of run b, 40 of run a are known
package struct Lineage: Hashable, Sendable {
    package struct Run: Hashable, Sendable {
        package var id: UInt64
        /// The newest version before the run: its first version is the next one.
        package var begin: ServerVersion

        package init(id: UInt64, begin: ServerVersion) {
            self.id = id
            self.begin = begin
        }
    }

    /// In order, back to the first run of which the kept history has a version.
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

    /// The newest version that this database has in common with the past of a run's version. This is the version
    /// itself, unless a restore lost it: then it is the last common one. For a run that is not listed it is the version
    /// at which the run began that has the number here.
    package func shared(_ version: ServerVersion, of id: UInt64, newest: ServerVersion) -> ServerVersion {
        guard id != 0, !runs.isEmpty else { return min(version, newest) }
        guard let index = runs.firstIndex(where: { $0.id == id }) else {
            // A folded run made nothing newer than the listed runs. A number of a run that was lost belongs to another
            // run here, which began at the copy or after it.
            return min(version, newest, runs.last { $0.begin < version }?.begin ?? version)
        }
        return index + 1 < runs.count ? min(version, runs[index + 1].begin) : min(version, newest)
    }

    /// Records that a run commits on top of a version. Returns whether anything changed.
    package mutating func commit(by id: UInt64, after version: ServerVersion) -> Bool {
        guard runs.last?.id != id else { return false }
        runs.append(Run(id: id, begin: version))
        return true
    }

    /// Forgets runs whose versions are all older than the history: their devices are resynced anyway. Returns whether
    /// anything changed.
    package mutating func fold(before historyStart: ServerVersion) -> Bool {
        let count = runs.indices.prefix { $0 + 1 < runs.count && runs[$0 + 1].begin < historyStart }.count
        runs.removeFirst(count)
        return count > 0
    }
}
