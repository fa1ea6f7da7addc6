import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayWire
import Testing

@Suite("Frames")
struct FrameTests {
    private static let seeds = SeedList.drawn(for: "frames", count: 200)

    private static let messages: [DownloadMessage] = {
        var samples = Samples(seed: 9)
        return (0..<40).map { _ in samples.downloadMessage() }
    }()

    private func readAll(_ reader: inout FrameReader) throws(SyncFailure) -> [DownloadMessage] {
        var messages: [DownloadMessage] = []
        while let message = try reader.next() {
            messages.append(try WireCodec.decode(DownloadMessage.self, from: message.payload))
        }
        return messages
    }

    @Test("a stream reads the same however it is cut", arguments: [1, 2, 3, 7, 8, 9, 10, 100, 4_096, 1 << 30])
    func cut(chunkBytes: Int) throws {
        let stream = Self.messages.flatMap { WireCodec.encode($0) }
        var reader = FrameReader()
        var messages: [DownloadMessage] = []
        for start in stride(from: 0, to: stream.count, by: chunkBytes) {
            reader.append(stream[start..<min(start + chunkBytes, stream.count)])
            messages += try readAll(&reader)
        }
        try reader.finish()
        #expect(messages == Self.messages)
    }

    @Test("a message says how many bytes carried it")
    func wireBytes() throws {
        let frames = Self.messages.map { WireCodec.encode($0) }
        var reader = FrameReader()
        for frame in frames { reader.append(frame) }
        for frame in frames {
            #expect(try reader.next()?.wireBytes == frame.count)
        }
    }

    @Test("a stream that ends inside a message is an error")
    func endsEarly() throws {
        let frame = WireCodec.encode(MarkRequest(session: 1, mark: 2))
        for count in 1..<frame.count {
            var reader = FrameReader()
            reader.append(frame[..<count])
            #expect(try reader.next() == nil)
            let reader2 = reader
            #expect(failure { () throws(SyncFailure) in try reader2.finish() }?.code == .frameDamaged)
        }
    }

    @Test("every damaged bit of a frame is noticed")
    func everyBit() {
        let frame = WireCodec.encode(CreditRequest(session: 77, bytes: 1 << 20))
        for bit in 0..<frame.count * 8 {
            var damaged = frame
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let failure = failure { () throws(SyncFailure) in
                _ = try WireCodec.decode(CreditRequest.self, body: damaged, limits: .small)
            }
            #expect(failure?.code == .frameDamaged || failure?.code == .frameTooLarge, "bit \(bit)")
        }
    }

    @Test("a damaged stream gives an error, and the same one ever after", arguments: seeds)
    func damaged(seed: UInt64) throws {
        var samples = Samples(seed: seed)
        var stream = Self.messages.flatMap { WireCodec.encode($0) }
        stream[samples.number(below: stream.count)] ^= 1 << UInt8(samples.number(below: 8))
        var reader = FrameReader()
        reader.append(stream)
        var first: SyncFailure?
        do {
            while let message = try reader.next() {
                _ = try WireCodec.decode(DownloadMessage.self, from: message.payload)
            }
            try reader.finish()
        } catch {
            first = error
        }
        #expect(
            first?.code == .frameDamaged || first?.code == .frameTooLarge, "seed \(seed): \(String(describing: first))")
        reader.append(WireCodec.encode(Accepted()))
        do {
            while try reader.next() != nil {}
            try reader.finish()
            Issue.record("seed \(seed): the reader went on after its stream lost its frames")
        } catch {
            // A stream that seemed to end inside its last message may be found to be damaged when more comes.
            let hasEndedEarly = first?.message.contains("ended inside a message") == true
            #expect(error == first || hasEndedEarly && error.code == .frameDamaged, "seed \(seed)")
        }
    }

    @Test("a message larger than a frame travels in several and arrives whole")
    func largeMessage() throws {
        let bytes = [UInt8](repeating: 7, count: 10_000_000)
        let change = ObjectContent(
            .init("Photo", .int(1)), .init(life: 1, fields: [.init("data", .bytes(bytes), stamp: .zero)]))
        let message = DownloadMessage.changes(ViewChunk(entered: [change]))
        let stream = WireCodec.encode(message)
        #expect(stream[4] == 3, "the first frame is compressed and continued")
        #expect(try WireCodec.decode(DownloadMessage.self, body: stream) == message)
        let limits = FrameLimits(frameBytes: 8 << 20, messageBytes: 9 << 20)
        #expect(
            failure { () throws(SyncFailure) in
                _ = try WireCodec.decode(DownloadMessage.self, body: stream, limits: limits)
            }?.code == .frameTooLarge)
    }

    @Test("frames that are too large together are refused before the first of them is read")
    func largeTogether() throws {
        let bytes = [UInt8](repeating: 7, count: 10_000_000)
        let change = ObjectContent(
            .init("Photo", .int(1)), .init(life: 1, fields: [.init("data", .bytes(bytes), stamp: .zero)]))
        var stream = WireCodec.encode(DownloadMessage.changes(ViewChunk(entered: [change])))
        let claimed = try FrameReader.messageBytes(claimedBy: stream, limits: .standard)
        #expect(try WireCodec.payload(of: stream).count == claimed)
        // Whoever reads the first frame finds this.
        stream[5] ^= 1
        for (messageBytes, code) in [(claimed - 1, SyncFailure.Code.frameTooLarge), (claimed, .frameDamaged)] {
            let limits = FrameLimits(frameBytes: 8 << 20, messageBytes: messageBytes)
            let found = failure { () throws(SyncFailure) in
                _ = try WireCodec.payload(of: stream, limits: limits)
            }
            #expect(found?.code == code)
        }
    }

    @Test("an oversized frame is refused when its header is here, before its payload")
    func oversized() {
        var reader = FrameReader(limits: .small)
        reader.append([0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 2, 3])
        #expect(failure { () throws(SyncFailure) in _ = try reader.next() } == nil)
        reader.append([4])
        #expect(failure { () throws(SyncFailure) in _ = try reader.next() }?.code == .frameTooLarge)
        #expect(reader.heldBytes == 0)
    }

    @Test("a body of two messages, or none, is an error where one is expected")
    func notOne() {
        let frame = WireCodec.encode(Accepted())
        for body in [[], frame + frame, frame + [0]] {
            #expect(
                failure { () throws(SyncFailure) in _ = try WireCodec.decode(Accepted.self, body: body) }?.code
                    == .frameDamaged)
        }
    }

    @Test("random bytes never make a reader trap or keep much", arguments: seeds)
    func noise(seed: UInt64) {
        var samples = Samples(seed: seed)
        var reader = FrameReader(limits: .small)
        var fed = 0
        let failure = failure { () throws(SyncFailure) in
            for _ in 0..<100 {
                let chunk = (0..<samples.number(below: 64)).map { _ in UInt8(truncatingIfNeeded: samples.number()) }
                fed += chunk.count
                reader.append(chunk)
                while try reader.next() != nil {}
                #expect(reader.heldBytes <= fed, "seed \(seed)")
            }
        }
        #expect(failure != nil, "seed \(seed)")
    }
}
