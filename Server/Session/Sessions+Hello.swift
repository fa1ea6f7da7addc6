import CausewayLimits
import CausewayModel
import CausewayOperations
package import CausewayStore
package import CausewayWire
import Synchronization

extension Sessions {
    /// After how long a device comes again that found too many others beginning.
    private static let beginningsPauseMilliseconds: UInt64 = 10_000

    package static let protocolVersions: ClosedRange<UInt32> = WireProtocol.versions

    /// A hello that has passed the checks that need no record.
    package struct Arrival: Sendable {
        package let hello: Hello
        let user: String
        let access: Access?
        let address: String
        let protocolVersion: UInt32
        let time: UInt64
        /// `SessionTable.pauses` when it came.
        let pauses: UInt64
    }

    /// What the record knows of the device.
    package struct Finding: Sendable {
        package var record: ClientRecord
        var refused: [OperationRefusal] = []
        package var isLost = false
        var isStagedKnown = false
        /// The classes and properties that the hello has added.
        package var additions: [String] = []
    }

    /// Checks what can be checked without the record. Writes nothing.
    ///
    /// - Parameter access: what the caller may do; nil is everything.
    package func admit(
        _ hello: Hello, user: String, access: Access?, address: String = ""
    ) throws(SyncFailure) -> Arrival {
        let pauses = try table.withLock { table throws(SyncFailure) in
            if let failure = table.closing { throw failure }
            return table.pauses
        }
        let spoken = Self.protocolVersions.clamped(to: hello.protocolVersions)
        guard hello.protocolVersions.contains(spoken.upperBound), Self.protocolVersions.contains(spoken.upperBound)
        else {
            throw SyncFailure(
                .protocolVersionUnsupported,
                "The device speaks protocol versions \(hello.protocolVersions), this server "
                    + "\(Self.protocolVersions). Update the older of the two.")
        }
        let checkpoint = hello.checkpoint
        // A database restored from a copy keeps its epoch. Another epoch is another database: nothing on the device may
        // go because an operator pointed it to an empty one.
        guard checkpoint.epoch == backend.epoch || checkpoint.isBeforeFirst else {
            throw SyncFailure(
                .epochChanged,
                "The server's database is not the one this device's checkpoint was made from. The device keeps its data "
                    + "and its unsent changes; the operator brings the database back, from a backup of any age, or the "
                    + "app opens a new file and copies over what it needs.")
        }
        let arrival = now()
        let hasPlace = table.withLock {
            $0.hasPlace(for: hello.client, of: user, queryBytes: hello.queryWeight, at: arrival)
        }
        guard hasPlace else { throw noPlace(for: user, address: address) }
        guard !hello.beginsAnew || table.withLock({ $0.mayBegin(at: arrival) }) else {
            rates.note(
                LimitReached(
                    .beginnings, value: bounds.beginnings, address: address,
                    waitMilliseconds: Self.beginningsPauseMilliseconds))
            throw SyncFailure(
                .serverBusy,
                "\(bounds.beginnings) devices are downloading everything that they want, and that is the most at a time. "
                    + "Try again later.", retryAfterMilliseconds: Self.beginningsPauseMilliseconds)
        }
        return Arrival(
            hello: hello, user: user, access: access, address: address, protocolVersion: spoken.upperBound,
            time: arrival, pauses: pauses)
    }

    /// Registers the device and its schema in the record, and reads what the record knows of it. May wait for the
    /// running commit.
    package func look(_ arrival: Arrival) throws(StoreFailure) -> Finding {
        let (hello, checkpoint) = (arrival.hello, arrival.hello.checkpoint)
        let mayExtendSchema = arrival.access?.permissions()?.rules.mayExtendSchema ?? true
        let declarer = Declarer(user: arrival.user, time: arrival.time)
        // Before anything is written: a device that is refused leaves no trace.
        if !mayExtendSchema { try backend.requireSchema(hello.schema, by: declarer) }
        let record = try backend.register(
            hello.client, user: arrival.user,
            standing: DeviceStanding(
                oldest: hello.oldest, oldestOneWay: hello.oldestOneWay, acknowledged: checkpoint.acknowledged,
                predecessor: hello.predecessor))
        var finding = Finding(record: record)
        if mayExtendSchema { finding.additions = try extendSchema(hello.schema, by: declarer, from: arrival.address) }
        if checkpoint == .nothing, hello.staged == nil, record.committed <= checkpoint.acknowledged { return finding }
        let snapshot = try backend.snapshot()
        finding.refused = Welcome.told(
            try snapshot.refusals(
                of: hello.client, after: checkpoint.acknowledged, through: record.committed, limit: Welcome.refusedMax))
        finding.isStagedKnown = try hello.isStagedKnown(
            to: snapshot, epoch: backend.epoch, termsMax: Int(clamping: limits.queryTerms))
        finding.isLost = try hello.isLost(to: snapshot, record: record, isStagedKnown: finding.isStagedKnown)
        return finding
    }

    /// Adds what the server lacks. A user who has added much has to wait; one who adds nothing does not.
    private func extendSchema(
        _ schema: Schema, by declarer: Declarer, from address: String
    ) throws(StoreFailure) -> [String] {
        if let met = rates.met(.init(.schemaAdditionsPerHourOfUser, of: declarer.user), from: address) {
            do throws(StoreFailure) {
                try backend.requireSchema(schema, by: declarer)
            } catch {
                guard error.code == .schemaMismatch else { throw error }
                rates.note(met)
                throw StoreFailure(met)
            }
            return []
        }
        let additions = try backend.extendSchema(schema, by: declarer)
        rates.charge(.init(.schemaAdditionsPerHourOfUser, of: declarer.user, additions.count))
        return additions.names
    }

    /// Opens the session. An earlier one of the same client ends.
    package func open(_ arrival: Arrival, _ finding: Finding) throws(SyncFailure) -> Welcome {
        let (record, checkpoint, time) = (finding.record, arrival.hello.checkpoint, now())
        var welcome = Welcome(
            session: 0, protocolVersion: arrival.protocolVersion, epoch: backend.epoch, serverTime: time,
            limits: limits, committed: record.committed, ingested: record.ingested, skipped: record.skipped,
            openings: record.openings, oneWayOpenings: record.oneWayOpenings, refused: finding.refused)
        if table.withLock({ $0.isShared(arrival.hello.client, with: arrival.hello.opening) }) {
            welcome.isCopied = true
            return welcome
        }
        var hello = arrival.hello
        hello.checkpoint.acknowledged = min(checkpoint.acknowledged, record.committed)
        hello.checkpoint.opening = record.openings.id(of: hello.checkpoint.acknowledged) ?? 0
        let conversation = DownloadConversation(
            hello: hello, isLost: finding.isLost, awaited: checkpoint.acknowledged,
            isStagedKnown: finding.isStagedKnown, user: arrival.user, limits: limits,
            permissions: arrival.access?.permissions(), protocolVersion: arrival.protocolVersion, now: time)
        let opened = try table.withLock { table throws(SyncFailure) in
            if let failure = table.closing { throw failure }
            // The schema may have changed since the record was asked.
            guard table.pauses == arrival.pauses else { throw SyncFailure.changedMeanwhile }
            return table.open(
                conversation, arrival.access, opening: hello.opening, queryBytes: hello.queryWeight,
                beginsAnew: hello.beginsAnew, epoch: backend.epoch, address: arrival.address, at: time)
        }
        if let replaced = opened.replaced {
            // Otherwise its download sees to it.
            if !replaced.isDownloading { noteEnd(of: replaced, .replaced) }
            replaced.wake()
        }
        guard let session = opened.session else {
            throw noPlace(for: arrival.user, address: arrival.address)
        }
        welcome.session = session
        welcome.resumes = conversation.resumes
        return welcome
    }
}

extension SyncFailure {
    fileprivate static let changedMeanwhile = SyncFailure(
        .serverBusy, "The database was changed while the device said hello. Connect again.",
        retryAfterMilliseconds: 1_000)
}
