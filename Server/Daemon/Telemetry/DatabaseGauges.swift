import CausewayModel
import CausewaySession
import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry

/// What one database is at: read at a scrape, without waiting for a commit.
struct DatabaseGauges: Sendable {
    let name: String
    private let folder: String
    let file: ServedFile
    let conversations: Conversations
    let store: StoreEmbedded
    private let followers: FollowerGauges
    private let node: ServedNode?
    /// Milliseconds since 1970.
    let now: @Sendable () -> UInt64
    private let reader: GaugeReader<Facts>

    /// A file that is read more slowly is left out of the scrape.
    static let readMilliseconds = 1_000

    init(
        name: String, folder: String, conversations: Conversations, store: StoreEmbedded, followers: FollowerGauges,
        node: ServedNode? = nil, now: @escaping @Sendable () -> UInt64
    ) {
        self.name = name
        self.folder = folder
        file = ServedFile(DatabaseFolder(folder).objectsPath)
        self.conversations = conversations
        self.store = store
        self.followers = followers
        self.node = node
        self.now = now
        reader = GaugeReader(label: "causeway.metrics")
    }

    /// Why the database is not ready.
    var problems: [String] {
        let late = conversations.lateThreads
        return (late.isEmpty ? [] : ["no answer for ten seconds from \(late.joined(separator: ", "))"])
            + (file.isThere ? [] : [file.whenGone])
    }

    /// The samples, and whether all of them could be read.
    func read() async -> (samples: [MetricSample], isWhole: Bool) {
        var samples = [
            MetricSample(MetricCatalog.databaseUp, name, is: problems.isEmpty ? 1 : 0),
            MetricSample(MetricCatalog.databaseVersion, name, is: Double(store.version.rawValue)),
        ]
        samples += node?.samples(of: name) ?? []
        guard let facts = await facts() else { return (samples, false) }
        samples += self.samples(of: facts.record) + facts.behind + self.samples(of: facts.census)
        if let disk = facts.disk {
            samples += [
                MetricSample(MetricCatalog.diskSize, name, is: Double(disk.sizeBytes)),
                MetricSample(MetricCatalog.diskAvailable, name, is: Double(disk.availableBytes)),
            ]
        }
        return (samples, true)
    }

    /// Nil when they cannot be read in time.
    func facts() async -> Facts? {
        await reader.read(withinMilliseconds: Self.readMilliseconds) { [folder, conversations, store, followers] in
            guard let (record, behind) = try? (store.statistics(), followers.read()) else { return nil }
            return Facts(record: record, behind: behind, census: conversations.census(), disk: DiskSpace(of: folder))
        }
    }

    struct Facts: Sendable {
        var record: RecordStatistics
        var behind: [MetricSample]
        var census: SessionCensus
        var disk: DiskSpace?
    }

    private func samples(of statistics: RecordStatistics) -> [MetricSample] {
        let age = statistics.oldestTime == 0 ? 0 : now() - min(statistics.oldestTime, now())
        let file = statistics.file
        return [
            MetricSample(MetricCatalog.historyVersions, name, is: Double(statistics.historyVersions)),
            MetricSample(MetricCatalog.historyBytes, name, is: Double(statistics.historyBytes)),
            MetricSample(MetricCatalog.historyAge, name, is: Double(age) / 1_000),
            MetricSample(MetricCatalog.fileSize, name, is: Double(file.sizeBytes)),
            MetricSample(MetricCatalog.fileUsed, name, is: Double(file.usedBytes)),
            MetricSample(MetricCatalog.fileFree, name, is: Double(file.freeBytes)),
            MetricSample(MetricCatalog.filePinned, name, is: Double(file.pinnedBytes)),
            MetricSample(MetricCatalog.snapshotOldest, name, is: Double(file.oldestSnapshot?.commitsBehind ?? 0)),
            MetricSample(MetricCatalog.snapshots, name, is: Double(statistics.snapshots)),
            MetricSample(MetricCatalog.snapshotAge, name, is: statistics.oldestSnapshotAge / .seconds(1)),
        ]
    }

    private func samples(of census: SessionCensus) -> [MetricSample] {
        let states = SessionCensus.State.allCases.filter { $0 != .over }
        return [MetricSample(MetricCatalog.audiences, name, is: Double(census.audiences))]
            + states.map { state in
                MetricSample(MetricCatalog.openSessions, name, state.rawValue, is: Double(census.counts[state] ?? 0))
            }
    }
}
