import CausewayJournal
import CausewayModel
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated

/// What befalls a cluster between two steps, beside what happens to every server.
enum NodeFault: CaseIterable {
    case nodeDies, journalLosesTail, snapshotIsKept, settingsChange, maintenance, softwareIsReleased, nodeIsUpdated,
        generationIsSwitchedOn, operatorActs
}

extension World {
    func strike(_ fault: NodeFault) throws {
        guard let cluster else { return }
        let node = anyNode()
        switch fault {
        case .nodeDies: node.crash()
        case .journalLosesTail: loseTail(of: cluster)
        case .snapshotIsKept: try node.keepSnapshot()
        case .settingsChange: node.changeSettings()
        case .maintenance: node.maintain()
        case .softwareIsReleased: if random.happens(percent: 30) { cluster.release() }
        case .nodeIsUpdated: node.update()
        case .generationIsSwitchedOn: node.switchOn()
        case .operatorActs: node.act()
        }
        node.endIfRecordEnded()
    }

    /// As a restored file is for one server: what devices were told is gone.
    func loseTail(of cluster: Cluster) {
        cluster.lose(random.below(20))
        ledger.restores += 1
    }

    /// How far a client's uploads got; nil where nobody can say at the moment.
    func committed(by client: ClientID) throws -> UInt64? {
        guard cluster != nil else {
            return try server.record.record.register(client, user: ServerProcess.user).committed
        }
        for node in nodes where node.isUp {
            guard let record = node.node?.record, (try? record.catchUp()) != nil else { continue }
            return try record.snapshot().committed(by: client)
        }
        return nil
    }

    /// All nodes have applied everything, and all of their states are equal.
    func checkReplicas() throws {
        guard let cluster else { return }
        for server in nodes {
            guard let node = server.node else { continue }
            try node.record.catchUp()
            let position = node.record.position
            guard position == cluster.journal.head().position else {
                throw Divergence("node \(node.number) is at entry \(position) of \(cluster.journal.head().position)")
            }
            try cluster.check(node.replica.digest(), at: position, of: node.number)
            let problems = try server.problems()
            guard problems.isEmpty else {
                throw Divergence("the file of node \(node.number) contradicts itself: \(problems)")
            }
        }
    }
}
