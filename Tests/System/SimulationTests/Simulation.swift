import CausewayModel
import CausewayOpLog
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire

/// A server and three devices on one thread: edits, faults and the order of messages follow from the seed.
final class Simulation {
    private let seed: UInt64
    private var random: SeededNumbers
    private let server: SimulatedServer
    private let devices: [SimulatedDevice]
    private var now: UInt64 = 1_700_000_000_000
    /// Every changeset that ever reached the server, for sending it again.
    private var delivered: [ClientID: [Changeset]] = [:]
    private(set) var log: [String] = []
    let isVerbose: Bool

    init(seed: UInt64, isVerbose: Bool = false) throws {
        self.seed = seed
        self.isVerbose = isVerbose
        random = SeededNumbers(seed: seed)
        // Every fourth run forgets its history quickly, so that devices come back from before it.
        server = try SimulatedServer(seed: seed, historyVersionsMax: seed % 4 == 3 ? 5 : 1_000_000)
        var devices: [SimulatedDevice] = []
        for number in 1...3 {
            let skew = random.happens(percent: 50) ? 0 : Int64(random.below(20_000)) - 10_000
            devices.append(try SimulatedDevice(number: number, seed: seed, skew: skew))
        }
        self.devices = devices
    }

    func run(steps: Int) throws {
        for device in devices { subscribe(device) }
        for _ in 0..<steps { try step() }
        try settle()
        try check()
    }

    // MARK: - One step

    private func step() throws {
        now += UInt64(random.below(40))
        let device = random.one(of: devices)
        switch random.below(100) {
        case 0..<28: try edit(device)
        case 28..<31: subscribe(device)
        case 31..<36: try toggleConnection(device)
        case 36..<37: try random.happens(percent: 60) ? restart() : restore()
        case 37..<50: if device.session != nil { try device.upload(limitBytes: 1 + random.below(2_000)) }
        case 50..<63: try deliverUpload(to: device)
        case 63..<70: deliverAnswer(to: device)
        case 70..<85: try serve(device)
        default: try deliverDownload(to: device)
        }
    }

    private func edit(_ device: SimulatedDevice) throws {
        note("device \(device.number) edits")
        try device.write(at: now) { transaction in
            try RandomEdits(transaction: transaction, replica: device.replica).perform(&random)
            return !random.happens(percent: 5)
        }
        if isVerbose { try noteChangeset(of: device) }
    }

    private func subscribe(_ device: SimulatedDevice) {
        var queries: [StandingQuery] = []
        for _ in 0..<(1 + random.below(3)) { queries.append(random.one(of: SimulationSchema.queries)) }
        if random.happens(percent: 10) { queries = [] }
        device.subscribe(queries)
        note("device \(device.number) wants \(queries.map { "\($0.className): \($0.predicate)" })")
    }

    private func toggleConnection(_ device: SimulatedDevice) throws {
        if device.session != nil {
            device.disconnect(losingUploads: random.happens(percent: 50))
            note("device \(device.number) loses its connection")
        } else {
            try connect(device)
        }
    }

    private func connect(_ device: SimulatedDevice) throws {
        try device.connect(to: server, now: now, latency: Int64(random.below(30)))
        note("device \(device.number) connects")
    }

    private func restart() throws {
        note("the server restarts")
        try server.restart()
        for device in devices where device.session != nil {
            device.disconnect(losingUploads: random.happens(percent: 50))
        }
    }

    /// The operator restores the server from an older copy. What a device knows to be on the server must be in it: a
    /// device that has lost its log of it cannot bring it back.
    private func restore() throws {
        let oldest = server.moments - min(random.below(12), server.moments)
        let moment = try (oldest...server.moments).first { moment in
            try devices.allSatisfy {
                try $0.state().acknowledged <= server.committed(by: $0.replica.client, at: moment)
            }
        }
        guard let moment else { return }
        let before = server.record.version
        try server.restore(moment: moment)
        note("the server is restored: version \(before.rawValue) → \(server.record.version.rawValue)")
        for device in devices where device.session != nil {
            device.disconnect(losingUploads: random.happens(percent: 50))
        }
    }

    /// Delivers an upload, perhaps again, perhaps out of order, perhaps without its answer.
    private func deliverUpload(to device: SimulatedDevice) throws {
        guard !device.uploads.isEmpty else { return }
        let index = random.happens(percent: 15) ? random.below(device.uploads.count) : 0
        let changesets = device.uploads[index]
        if !random.happens(percent: 10) { device.uploads.remove(at: index) }
        try deliver(changesets, from: device)
    }

    private func deliver(_ changesets: [Changeset], from device: SimulatedDevice) throws {
        let before = server.record.version
        let outcome = try server.commit(changesets, of: device.replica.client, at: now)
        delivered[device.replica.client, default: []] += changesets
        note(
            "the server gets \(changesets.first?.sequence ?? 0)…\(changesets.last?.sequence ?? 0) of device "
                + "\(device.number): committed \(outcome.committed), version \(before.rawValue) → "
                + "\(outcome.version.rawValue) \(outcome.failure?.message ?? "")")
        if device.session != nil, !random.happens(percent: 20) {
            device.answers.append(
                UploadAnswer(
                    committed: outcome.committed,
                    failure: outcome.failure.map {
                        SyncFailure($0.code == .sequenceGap ? .sequenceGap : .operationInvalid, $0.message)
                    }))
        }
    }

    private func deliverAnswer(to device: SimulatedDevice) {
        guard !device.answers.isEmpty else { return }
        device.answered(device.answers.removeFirst())
    }

    private func serve(_ device: SimulatedDevice) throws {
        guard let session = device.session else { return }
        for _ in 0..<(1 + random.below(4)) {
            let (acted, message) = try session.act(now: now, bytes: 1 + random.below(300))
            if let message {
                device.downloads.append(message)
                if isVerbose { note("the server sends device \(device.number): \(brief(message))") }
            }
            if !acted { return }
        }
    }

    private func deliverDownload(to device: SimulatedDevice) throws {
        for _ in 0..<(1 + random.below(3)) {
            guard device.session != nil, !device.downloads.isEmpty else { return }
            let message = device.downloads.removeFirst()
            try device.receive(message)
            if case .changes(let chunk) = message, let checkpoint = chunk.checkpoint {
                note("device \(device.number) is at \(checkpoint.version.rawValue), holding \(device.holding())")
                if checkpoint.version == server.record.version { try checkSettled(device) }
            }
        }
    }

    // MARK: - Quiescence

    /// Ends all faults and lets everything that is under way arrive.
    private func settle() throws {
        note("--- settling")
        for device in devices where device.session == nil { try connect(device) }
        for round in 0..<2_000 {
            now += 1
            var isQuiet = true
            for device in devices {
                while !device.uploads.isEmpty {
                    try deliver(device.uploads.removeFirst(), from: device)
                    isQuiet = false
                }
                while !device.answers.isEmpty { device.answered(device.answers.removeFirst()) }
                while !device.downloads.isEmpty {
                    try deliverDownload(to: device)
                    isQuiet = false
                }
                let pending = try device.read {
                    try device.replica.pending(in: $0, after: device.sentThrough, limitBytes: 1 << 20)
                }
                if !pending.isEmpty {
                    try device.upload(limitBytes: 1 << 20)
                    isQuiet = false
                }
                let state = try device.state()
                if state.sequence > state.acknowledged {
                    isQuiet = false
                    // An answer that was lost leaves the device to send again.
                    if round % 50 == 49 { device.sentThrough = state.acknowledged }
                }
                while let (acted, message) = try device.session?.act(now: now, bytes: 200), acted {
                    if let message {
                        device.downloads.append(message)
                        if isVerbose { note("the server sends device \(device.number): \(brief(message))") }
                    }
                    isQuiet = false
                }
            }
            if isQuiet { return }
        }
        throw Divergence("nothing comes to rest: \(try devices.map { try $0.state() })")
    }

    private func check() throws {
        for device in devices {
            if let failure = device.failure { throw Divergence("device \(device.number) failed: \(failure.message)") }
            let state = try device.state()
            // [I2]: everything arrived, once, and sending all of it again changes nothing.
            let before = server.record.version
            for changeset in delivered[device.replica.client] ?? [] {
                let outcome = try server.commit([changeset], of: device.replica.client, at: now)
                guard outcome.failure == nil, outcome.committed == state.sequence else {
                    throw Divergence(
                        "[I2] device \(device.number): changeset \(changeset.sequence) again gives \(outcome)")
                }
            }
            guard server.record.version == before else { throw Divergence("[I2] a duplicate made a version") }
            guard state.acknowledged == state.sequence, state.querySet == device.wanted.version else {
                throw Divergence("device \(device.number) is not at rest: \(state), wants \(device.wanted.version)")
            }
            // [I9], and with it [I3] and [I4]: nothing is pending, so what the device holds is what a fresh run of its
            // queries gives, value by value.
            let expected = try server.content(of: device.wanted)
            let actual = try device.content()
            for className in ["Item", "Shop"] {
                try compare(
                    expected[className] ?? [:], actual[className] ?? [:],
                    "[I9] \(className)s of device \(device.number)")
            }
            // What is equal has equal digests on both ends: a resync would find nothing to tell.
            let resync = try server.resync(device, seed: seed)
            guard resync.isEmpty else { throw Divergence("a resync of device \(device.number) tells \(resync)") }
            let orphans = try device.read { $0.orphans() }
            guard orphans.isEmpty else {
                throw Divergence("device \(device.number) keeps embedded objects that nothing holds: \(orphans)")
            }
        }
        let orphans = try server.orphans()
        guard orphans.isEmpty else {
            throw Divergence("the server keeps embedded objects that nothing holds: \(orphans)")
        }
    }

    /// [I4] in the middle of everything: a device that stands at the newest version shows, of what it has nothing
    /// pending about, what the server has.
    private func checkSettled(_ device: SimulatedDevice) throws {
        let expected = try server.content(of: device.held())
        let actual = try device.content()
        let pending = try device.pendingObjects()
        for className in ["Item", "Shop"] {
            let isSettled = { (key: PrimaryKey) in !pending.contains(ObjectReference(className, key)) }
            try compare(
                (expected[className] ?? [:]).filter { isSettled($0.key) },
                (actual[className] ?? [:]).filter { isSettled($0.key) },
                "[I4] \(className)s of device \(device.number) at the newest version")
        }
    }

    private func compare(
        _ expected: [PrimaryKey: Picture], _ actual: [PrimaryKey: Picture], _ what: String
    ) throws {
        for key in Set(expected.keys).union(actual.keys).sorted() where expected[key] != actual[key] {
            throw Divergence(
                """
                \(what), \(key):
                  server: \(expected[key]?.description ?? "absent")
                  device: \(actual[key]?.description ?? "absent")
                """)
        }
    }

    // MARK: - What happened

    private func note(_ line: @autoclosure () -> String) {
        if isVerbose { log.append(line()) }
    }

    private func noteChangeset(of device: SimulatedDevice) throws {
        let state = try device.state()
        guard state.sequence > 0 else { return }
        let last = try device.read {
            try device.replica.pending(in: $0, after: state.sequence - 1, limitBytes: 1 << 20)
        }
        for changeset in last {
            note("  \(changeset.sequence) on \(changeset.base.rawValue) stamped \(brief(changeset.stamp)):")
            for operation in changeset.operations { note("    \(brief(operation))") }
        }
    }
}

/// What must not differ, differs.
struct Divergence: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
