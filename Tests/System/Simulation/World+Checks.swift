import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewaySyncedFile
import CausewayWire

// What must hold once everything has come to rest.

extension World {
    func check() throws {
        for device in devices {
            try checkUploads(of: device)
            try checkRefusals(of: device)
            try checkContent(of: device)
            let problems = try device.store.verify().problems
            guard problems.isEmpty else {
                throw Divergence("the file of device \(device.number) contradicts itself: \(problems)")
            }
            // What is equal has equal digests on both ends.
            let resync = try server.resync(device)
            guard resync.isEmpty else { throw Divergence("a resync of device \(device.number) tells \(resync)") }
            let orphans = try device.read { $0.orphans() }
            guard orphans.isEmpty else {
                throw Divergence("device \(device.number) keeps embedded objects that nothing holds: \(orphans)")
            }
        }
        let problems = try server.problems()
        guard problems.isEmpty else { throw Divergence("the server's file contradicts itself: \(problems)") }
        let orphans = try server.read { $0.orphans() }
        guard orphans.isEmpty else {
            throw Divergence("the server keeps embedded objects that nothing holds: \(orphans)")
        }
        try checkSharedView()
        try checkHistory()
        try server.read { transaction in
            // What a device cannot send again after a restore is gone, and who knows what was made of it.
            if ledger.incomplete.isEmpty {
                try checkLedger(in: transaction)
                try checkTallies(in: transaction)
            }
            // Devices keep nothing of one-way objects that have arrived.
            if ledger.restores == 0 { try checkOneWay(in: transaction) }
        }
        try checkReplicas()
        story.note("all agree")
    }

    /// [I1], [I2]: everything arrived, once, and sending all of it again changes nothing.
    private func checkUploads(of device: DeviceProcess) throws {
        let state = try device.state()
        guard state.lastSequence == device.lastSequence, state.lastOneWay == device.lastOneWay else {
            throw Divergence(
                "[I1] device \(device.number) committed \(device.lastSequence) changesets and \(device.lastOneWay) one-way "
                    + "entries, its file has \(state.lastSequence) and \(state.lastOneWay)")
        }
        var sent = (ledger.delivered[device.client] ?? []).sorted { $0.sequence < $1.sequence }
        guard !sent.isEmpty else { return }
        // Of what is older than the openings that are kept a repetition that names its own is asked to say hello.
        let known = try server.record.record.register(device.client, user: ServerProcess.user).openings
        for index in sent.indices where sent[index].sequence < known.runs.first?.first ?? 0 { sent[index].opening = 0 }
        let before = server.record.version
        let batch = UploadBatch(client: device.client, user: ServerProcess.user, changesets: sent)
        let outcome = try server.record.record.commit([batch], receivedAt: now)[0]
        guard outcome.failure == nil, outcome.committed == state.lastSequence, server.record.version == before else {
            throw Divergence(
                "[I2] all \(sent.count) changesets of device \(device.number) again give \(outcome), version "
                    + "\(before.rawValue) → \(server.record.version.rawValue)")
        }
    }

    /// [I7]: what the server refused for good is kept on the device, each operation once, or was sent again. A restored
    /// server judges anew what it is sent again.
    private func checkRefusals(of device: DeviceProcess) throws {
        guard ledger.restores == 0 else { return }
        let refused = (ledger.refused[device.client]?.count ?? 0) + device.setAsideCount
        let kept = try device.file.quarantined().reduce(0) { $0 + $1.operations.count }
        guard refused == kept + device.submittedCount, kept == device.quarantinedCount else {
            throw Divergence(
                "[I7] \(refused) operations of device \(device.number) were refused; it has kept \(kept), and sent "
                    + "\(device.submittedCount) of them again")
        }
    }

    /// [I9], and with it [I3] and [I4]: nothing is pending, so what the device holds is what a fresh run of its queries
    /// gives, value by value.
    private func checkContent(of device: DeviceProcess) throws {
        let held = try device.queries(device.state().querySet)
        try compare(
            try server.content(of: held, for: device), try device.content(), "[I9]", device
        ) { _, _ in true }
    }

    /// [I4] in the middle of everything: a device that stands at the newest version shows, of what it has nothing
    /// pending about, what the server has.
    func checkSettled(_ device: DeviceProcess) throws {
        let state = try device.state()
        let server = device.server
        guard server.isUp, state.version == server.record.version, try server.knows(state),
            state.permissions == server.access.permissions(of: device.client)?.fingerprint ?? 0,
            // A newer app has not been told yet what the older one did not know.
            state.schema == device.schema.fingerprint
        else { return }
        let pending = try device.pendingObjects()
        try compare(
            try server.content(of: device.queries(state.querySet), for: device),
            try device.content(), "[I4]", device
        ) { className, key in !pending.contains(ObjectReference(className, key)) }
    }

    private func compare(
        _ expected: [String: [PrimaryKey: Picture]], _ actual: [String: [PrimaryKey: Picture]], _ what: String,
        _ device: DeviceProcess, where counts: (String, PrimaryKey) -> Bool
    ) throws {
        for className in Set(expected.keys).union(actual.keys).sorted() {
            let (expected, actual) = (expected[className] ?? [:], actual[className] ?? [:])
            for key in Set(expected.keys).union(actual.keys).sorted()
            where counts(className, key) && expected[key] != actual[key] {
                throw Divergence(
                    """
                    \(what) \(className)(\(brief(key))) on device \(device.number):
                      server: \(expected[key]?.description ?? "absent")
                      device: \(actual[key]?.description ?? "absent")
                    """)
            }
        }
    }

    /// [I3]: what two devices both hold is equal on both, if both may read all of it.
    private func checkSharedView() throws {
        var seen: [ObjectReference: (picture: Picture, number: Int)] = [:]
        for device in devices
        where device.schema == plan.schema
            && server.access.rules(of: device.client).properties.isEmpty
        {
            for (className, objects) in try device.content() {
                for (key, picture) in objects {
                    let object = ObjectReference(className, key)
                    if let other = seen[object], other.picture != picture {
                        throw Divergence(
                            "[I3] \(brief(object)) differs between devices \(other.number) and \(device.number): "
                                + "\(other.picture), \(picture)")
                    }
                    seen[object] = (picture, device.number)
                }
            }
        }
    }

    /// A story lasts for minutes, and its history for days: whatever clocks say, nothing of it is old. It ends where an operator
    /// changes the schema.
    private func checkHistory() throws {
        let snapshot = try server.record.record.snapshot()
        let (begin, newest) = (snapshot.historyStart.rawValue, snapshot.version.rawValue)
        guard begin == 0 || newest - begin >= plan.historyVersionsMax || cluster?.hasNewSchema == true else {
            throw Divergence("the history begins at \(begin) of \(newest), though nothing of it is old")
        }
    }

    // MARK: - What was counted while it was written

    /// [I7], [I8]: every object that an app made and nobody touched since is there, and no other.
    private func checkLedger(in transaction: Transaction) throws {
        let kept = transaction.pictures("Ledger")
        var count = 0
        for device in devices {
            count += device.ledger.count
            for (name, number) in device.ledger.sorted(by: { $0.key < $1.key }) {
                guard case .object(let properties)? = kept[.string(name)], properties["n"] == .value(.int(number))
                else {
                    throw Divergence(
                        "[I7] Ledger(\(name)) of device \(device.number) should say \(number): "
                            + "\(kept[.string(name)]?.description ?? "absent")")
                }
            }
        }
        guard kept.count == count else {
            throw Divergence("[I2] the server has \(kept.count) Ledgers, the apps made \(count)")
        }
    }

    /// [I2]: every addition counts once.
    private func checkTallies(in transaction: Transaction) throws {
        let kept = transaction.pictures("Tally")
        for name in SimulationSchema.tallies {
            let sum = devices.reduce(0) { $0 + ($1.added[name] ?? 0) }
            guard case .object(let properties)? = kept[.string(name)], properties["sum"] == .value(.int(sum)) else {
                throw Divergence(
                    "[I2] Tally(\(name)): the apps added \(sum), the server has "
                        + (kept[.string(name)]?.description ?? "nothing"))
            }
        }
    }

    /// One-way objects: each once and in order, and no trace of them on the device.
    private func checkOneWay(in transaction: Transaction) throws {
        let kept = transaction.pictures("Reading")
        var count = 0
        for device in devices {
            guard let last = device.readings.last else { continue }
            count += device.readings.count + 1
            for number in device.readings { try checkReading("d\(device.number).\(number)", number, kept) }
            // What was sent again came later than what was written later.
            if device.submittedCount == 0 { try checkReading("d\(device.number).last", last, kept) }
            let left = try device.read { $0.table("Reading")?.count ?? 0 }
            guard left == 0 else { throw Divergence("device \(device.number) keeps \(left) one-way objects") }
        }
        guard kept.count == count else {
            throw Divergence("the server has \(kept.count) one-way objects, the apps wrote \(count)")
        }
    }

    private func checkReading(_ name: String, _ number: Int64, _ kept: [PrimaryKey: Picture]) throws {
        guard case .object(let properties)? = kept[.string(name)], properties["n"] == .value(.int(number)) else {
            throw Divergence(
                "one-way Reading(\(name)) should say \(number): \(kept[.string(name)]?.description ?? "absent")")
        }
    }
}
