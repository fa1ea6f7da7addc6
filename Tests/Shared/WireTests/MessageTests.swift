import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayWire
import Testing

@Suite("Messages")
struct MessageTests {
    private static let seeds = SeedList.drawn(for: "messages", count: 300)

    private func expectRoundTrip<M: WireMessage & Equatable>(_ message: M, seed: UInt64) throws {
        let frames = WireCodec.encode(message)
        let read = try WireCodec.decode(M.self, body: frames)
        #expect(read == message, "seed \(seed)")
        // What was read is written in the same bytes: there is one form of each message.
        #expect(WireCodec.encode(read) == frames, "seed \(seed)")
    }

    @Test("every message reads back as it was written", arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var samples = Samples(seed: seed)
        try expectRoundTrip(samples.hello(), seed: seed)
        try expectRoundTrip(
            Welcome(
                session: samples.number(), protocolVersion: 1, epoch: samples.number(), serverTime: samples.number(),
                limits: SessionLimits(
                    frameBytes: samples.number(), creditBytes: 3, heartbeatMilliseconds: 0,
                    operations: samples.number(), refusals: samples.number(), queryTerms: samples.number(),
                    schemaClasses: samples.number(), schemaProperties: samples.number(),
                    schemaClassesOfUser: samples.number(), schemaPropertiesOfUser: samples.number()),
                committed: samples.sequence(), ingested: samples.sequence(), skipped: samples.sequence(),
                resumes: samples.number(below: 2) == 0, openings: samples.openings(),
                oneWayOpenings: samples.openings(), isCopied: samples.number(below: 2) == 0,
                refused: (0..<UInt64(samples.number(below: 3))).map {
                    OperationRefusal(
                        sequence: $0, operation: samples.number(),
                        failure: SyncFailure(.operationInvalid, "It does not fit.", action: .report))
                }),
            seed: seed)
        let client = ClientID(samples.number())
        let changesets = (0..<UInt64(samples.number(below: 6))).map { samples.changeset(client: client, sequence: $0) }
        try expectRoundTrip(UploadRequest(session: samples.number(), changesets: changesets), seed: seed)
        try expectRoundTrip(UploadAnswer(committed: samples.sequence()), seed: seed)
        let failure = SyncFailure(.schemaMismatch, samples.text())
        try expectRoundTrip(UploadAnswer(committed: samples.sequence(), failure: failure), seed: seed)
        try expectRoundTrip(samples.downloadMessage(), seed: seed)
        try expectRoundTrip(DownloadMessage.digestsWanted(samples.digestQuestion()), seed: seed)
        try expectRoundTrip(samples.resyncRequest(), seed: seed)
        try expectRoundTrip(DownloadRequest(session: samples.number()), seed: seed)
        try expectRoundTrip(CreditRequest(session: samples.number(), bytes: samples.number()), seed: seed)
        try expectRoundTrip(SubscriptionsRequest(session: samples.number(), wanted: samples.querySet()), seed: seed)
        try expectRoundTrip(MarkRequest(session: samples.number(), mark: samples.number()), seed: seed)
        try expectRoundTrip(Accepted(), seed: seed)
        let entries = (0..<samples.number(below: 9)).map { _ in
            (0..<samples.number(below: 4)).map { _ in samples.create() }
        }
        try expectRoundTrip(
            IngestBatch(client: client, first: samples.number() >> 1, entries: entries, opening: samples.number()),
            seed: seed)
        try expectRoundTrip(IngestAnswer(acknowledged: samples.sequence()), seed: seed)
        var refusal = SyncFailure(.permissionDenied, "not yours")
        refusal.refused = [
            OperationRefusal(
                sequence: samples.number(), operation: samples.number(), failure: SyncFailure(.operationInvalid, "no"))
        ]
        try expectRoundTrip(refusal, seed: seed)
        try expectRoundTrip(
            SyncFailure(.serverBusy, "full", retryAfterMilliseconds: 1 + samples.number() >> 1), seed: seed)
        try expectRoundTrip(failure, seed: seed)
    }

    @Test("a hello of the client 0, which is nobody, is refused")
    func nobody() throws {
        let hello = Hello(
            client: .nobody, protocolVersions: 1...1, schema: Schema(), checkpoint: .nothing, held: .empty,
            wanted: .empty)
        let refusal = #expect(throws: SyncFailure.self) {
            try WireCodec.decode(Hello.self, body: WireCodec.encode(hello))
        }
        #expect(refusal?.code == .messageMalformed)
    }

    @Test("a mixed property is read as optional, whatever the sender of the schema says of it")
    func requiredMixed() throws {
        func hello(isOptional: Bool) -> Hello {
            let properties = [
                Property(name: "any", type: .mixed, isOptional: isOptional),
                Property(name: "count", type: .int, isOptional: isOptional),
            ]
            return Hello(
                client: ClientID(1), protocolVersions: 1...1,
                schema: Schema([ClassSchema(name: "Note", properties: properties)]), checkpoint: .nothing,
                held: QuerySet(version: 0, queries: []), wanted: QuerySet(version: 0, queries: []))
        }
        for isOptional in [true, false] {
            let read = try WireCodec.decode(Hello.self, body: WireCodec.encode(hello(isOptional: isOptional)))
            #expect(read.schema["Note"]?.properties.map(\.isOptional) == [true, isOptional])
        }
    }

    @Test("an unknown code keeps the action its sender gave, a known one keeps ours")
    func actions() throws {
        let future = SyncFailure(.init(rawValue: 999), "Wait for the operator.", action: .restartSession)
        #expect(try WireCodec.decode(SyncFailure.self, body: WireCodec.encode(future)).action == .restartSession)
        let known = SyncFailure(.tokenExpired, "The token has expired.", action: .report)
        #expect(known.action == .refreshToken)
        #expect(known == SyncFailure(.tokenExpired, "The token has expired."))
    }

    @Test("damaged bytes behind an intact checksum give an error and never a trap", arguments: seeds)
    func damagedPayload(seed: UInt64) {
        var samples = Samples(seed: seed)
        let client = ClientID(1)
        var payload: [UInt8]
        switch seed % 6 {
        case 4: payload = DownloadMessage.digestsWanted(samples.digestQuestion()).payload
        case 5: payload = samples.resyncRequest().payload
        case 0: payload = samples.hello().payload
        case 1:
            payload = UploadRequest(session: 1, changesets: [samples.changeset(client: client, sequence: 1)]).payload
        case 2: payload = IngestBatch(client: client, first: 1, entries: [[samples.create()]]).payload
        default: payload = DownloadMessage.changes(samples.chunk()).payload
        }
        for _ in 0..<40 {
            var damaged = payload
            for _ in 0...samples.number(below: 3) where !damaged.isEmpty {
                switch samples.number(below: 4) {
                case 0: damaged[samples.number(below: damaged.count)] = UInt8(truncatingIfNeeded: samples.number())
                case 1: damaged[samples.number(below: damaged.count)] ^= 1 << UInt8(samples.number(below: 8))
                case 2: damaged.removeLast(samples.number(below: damaged.count))
                default: damaged.insert(0xFF, at: samples.number(below: damaged.count))
                }
            }
            // Either a message or an error that says what it is; the seed replays whatever else happens.
            for failure in failures(readingAll: damaged) {
                #expect([.messageMalformed].contains(failure.code), "seed \(seed): \(failure)")
            }
        }
    }

    private func failures(readingAll payload: [UInt8]) -> [SyncFailure] {
        [
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(Hello.self, from: payload) },
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(UploadRequest.self, from: payload) },
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(IngestBatch.self, from: payload) },
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(DownloadMessage.self, from: payload) },
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(ResyncRequest.self, from: payload) },
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(SyncFailure.self, from: payload) },
        ].compactMap { $0 }
    }

    @Test("a schema that names a class or property twice, or a type of the future, is refused with its name")
    func malformedSchemas() {
        let twice = Property(name: "age", type: .int)
        let cases: [(Schema, String)] = [
            (Schema([ClassSchema(name: "Dog", properties: [twice, twice])]), "'age' twice"),
            (
                Schema([ClassSchema(name: "Dog", properties: []), ClassSchema(name: "Dog", properties: [])]),
                "'Dog' twice"
            ),
            (Schema([ClassSchema(name: "", properties: [])]), "0 bytes"),
            (
                Schema([ClassSchema(name: "Dog", properties: [Property(name: "to", type: .object)])]),
                "links to no class"
            ),
        ]
        for (schema, words) in cases {
            let hello = Hello(
                client: ClientID(1), protocolVersions: 1...1, schema: schema, checkpoint: .nothing, held: .empty,
                wanted: .empty)
            let failure = failure { () throws(SyncFailure) in _ = try WireCodec.decode(Hello.self, from: hello.payload)
            }
            #expect(failure?.code == .messageMalformed && failure?.message.contains(words) == true, "\(words)")
        }
    }

    @Test("the opening that made the changesets of an upload, and the run that they were made on, travel beside them")
    func opening() throws {
        var samples = Samples(seed: 5)
        for opening in [0, 1, UInt64.max] {
            var changesets = (1...3).map { samples.changeset(client: ClientID(1), sequence: $0) }
            for index in changesets.indices {
                changesets[index].opening = opening
                changesets[index].run = opening / 3
            }
            let read = try WireCodec.decode(
                UploadRequest.self, from: UploadRequest(session: 1, changesets: changesets).payload)
            #expect(read.changesets == changesets && read.changesets.map(\.opening) == [opening, opening, opening])
            #expect(read.changesets.map(\.run) == Array(repeating: opening / 3, count: 3))
        }
    }

    @Test("an answer that counts beyond anything is refused before anybody adds to it")
    func answersBeyondCounting() {
        func isRefused<Message: WireMessage>(_ message: Message) -> Bool {
            failure { () throws(SyncFailure) in _ = try WireCodec.decode(Message.self, from: message.payload) }?.code
                == .messageMalformed
        }
        func welcome(committed: UInt64 = 0, ingested: UInt64 = 0, skipped: UInt64 = 0) -> Welcome {
            Welcome(
                session: 1, protocolVersion: 1, epoch: 1, serverTime: 1, limits: .standard, committed: committed,
                ingested: ingested, skipped: skipped)
        }
        #expect(isRefused(UploadAnswer(committed: .max)))
        #expect(isRefused(IngestAnswer(acknowledged: .max)))
        #expect(isRefused(welcome(committed: .max)))
        #expect(isRefused(welcome(ingested: .max)))
        #expect(isRefused(welcome(skipped: .max)))
        #expect(!isRefused(welcome(committed: 1, ingested: 2, skipped: 3)))
        #expect(isRefused(DownloadMessage.changes(ViewChunk(objectsTotal: .max))))
        #expect(isRefused(DownloadMessage.changes(ViewChunk(objectsDone: .max))))
        #expect(!isRefused(DownloadMessage.changes(ViewChunk(objectsTotal: 2, objectsDone: 1))))
    }

    @Test("a welcome that tells as much as it may fits into its envelope")
    func fullWelcome() throws {
        let openings = try #require(
            Openings((1...Openings.countTold).map { Openings.Run(id: .max - UInt64($0), first: 1 << 61 + UInt64($0)) }))
        for sentenceBytes in [0, 40, 1_000, 100_000] {
            let failure = SyncFailure(.schemaMismatch, String(repeating: "x", count: sentenceBytes))
            let count = Welcome.refusedBytesMax / (Welcome.refusedBytesEach + sentenceBytes)
            let refused = (0..<count).map { place in
                OperationRefusal(sequence: 1 << 61, operation: 1 << 31 + UInt64(place), failure: failure)
            }
            let welcome = Welcome(
                session: .max, protocolVersion: .max, epoch: .max, serverTime: .max, limits: .standard,
                committed: 1 << 61, ingested: 1 << 61, skipped: 1 << 61, openings: openings, oneWayOpenings: openings,
                refused: refused)
            #expect(try WireCodec.decode(Welcome.self, from: welcome.payload) == welcome)
        }
    }

    @Test("a one-way entry that is not numbered as its place says is refused")
    func misnumberedIngest() {
        var payload = IngestBatch(client: ClientID(1), first: 5, entries: [[], []]).payload
        // The envelope is client (9 bytes) and first (2): its size stands before it.
        #expect(payload[11] == 5)
        payload[11] = 6
        let failure = failure { () throws(SyncFailure) in _ = try WireCodec.decode(IngestBatch.self, from: payload) }
        #expect(failure?.code == .messageMalformed)
    }

    @Test("an envelope larger than its bound, too many queries and too long ones are refused")
    func boundsOfEnvelopes() {
        func failureFor(_ wanted: QuerySet) -> SyncFailure? {
            let payload = SubscriptionsRequest(session: 1, wanted: wanted).payload
            return failure { () throws(SyncFailure) in
                _ = try WireCodec.decode(SubscriptionsRequest.self, from: payload)
            }
        }
        let query = StandingQuery(className: "Flight", predicate: "TRUEPREDICATE")
        let long = StandingQuery(className: "Flight", predicate: String(repeating: "a", count: 70_000))
        #expect(failureFor(QuerySet(version: 1, queries: [query])) == nil)
        #expect(failureFor(QuerySet(version: 1, queries: Array(repeating: query, count: 1_001))) != nil)
        #expect(failureFor(QuerySet(version: 1, queries: [long])) != nil)
        #expect(failureFor(QuerySet(version: 1, queries: Array(repeating: long, count: 20))) != nil)
    }
}

/// What `body` throws.
func failure(_ body: () throws(SyncFailure) -> Void) -> SyncFailure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
