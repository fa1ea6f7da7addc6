import CausewayJournal
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayWire

/// One decoder of bytes that come from outside.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A stream of frames as it comes from a socket.
    case stream
    /// One frame whose head and checksum are right, so that what it stores is looked at.
    case frame
    case hello, welcome, upload, uploadAnswer, downloadRequest, download, credit, subscriptions, mark, accepted
    case ingest, ingestAnswer, failure
    /// The body of a message of changes.
    case objects
    case changesets
    case list, keyed, text, object
    /// What a device answers to a question of a resync.
    case resync
    /// The body of a message of such a question.
    case question
    /// An entry of the journal that nodes follow.
    case entry
}

/// What became of an input.
package enum FuzzVerdict: Sendable {
    /// It was decoded, and what was decoded survives being written and read again.
    case read
    /// It was refused with an error that says why.
    case refused
}

/// An input for which the promise of decoders does not hold.
package struct FuzzFinding: Error, CustomStringConvertible {
    package var target: FuzzTarget
    package var input: [UInt8]
    package var fault: String

    package var description: String {
        "\(target.rawValue): \(fault); input \(input.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())"
    }
}

extension FuzzTarget {
    /// Decodes the input. A trap is a finding that nobody has to throw.
    package func check(_ input: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
        switch self {
        case .stream: try checkStream(input)
        case .frame: try checkStream(Self.framed(input), input: input)
        case .hello: try checkMessage(Hello.self, input)
        case .welcome: try checkMessage(Welcome.self, input)
        case .upload: try checkMessage(UploadRequest.self, input)
        case .uploadAnswer: try checkMessage(UploadAnswer.self, input)
        case .downloadRequest: try checkMessage(DownloadRequest.self, input)
        case .download: try checkMessage(DownloadMessage.self, input)
        case .credit: try checkMessage(CreditRequest.self, input)
        case .subscriptions: try checkMessage(SubscriptionsRequest.self, input)
        case .mark: try checkMessage(MarkRequest.self, input)
        case .accepted: try checkMessage(Accepted.self, input)
        case .ingest: try checkMessage(IngestBatch.self, input)
        case .ingestAnswer: try checkMessage(IngestAnswer.self, input)
        case .failure: try checkMessage(SyncFailure.self, input)
        case .objects: try checkMessage(DownloadMessage.self, Self.changesHead + input, input: input)
        case .changesets: try checkChangesets(input)
        case .list: try checkState(ListState.self, input)
        case .keyed: try checkState(KeyedState.self, input)
        case .text: try checkState(TextState.self, input)
        case .object: try checkState(ObjectState.self, input)
        case .resync: try checkMessage(ResyncRequest.self, input)
        case .question: try checkMessage(DownloadMessage.self, Self.questionHead + input, input: input)
        case .entry: try checkEntry(input)
        }
    }

    // MARK: - Frames

    /// Small enough that a message of several frames, and one that is too long, fit into an input.
    private static let limits = FrameLimits(frameBytes: 4 << 20, messageBytes: 1 << 20)

    private func checkStream(_ bytes: [UInt8], input: [UInt8]? = nil) throws(FuzzFinding) -> FuzzVerdict {
        let whole = messages(bytes, chunkBytes: max(bytes.count, 1))
        let pieces = messages(bytes, chunkBytes: 3)
        guard whole == pieces else {
            throw FuzzFinding(target: self, input: input ?? bytes, fault: "chunks of three bytes give something else")
        }
        guard case .success(let messages) = whole else { return .refused }
        let again = messages.flatMap { Frames.encode($0.payload) }
        guard case .success(let second) = self.messages(again, chunkBytes: max(again.count, 1)),
            second.map(\.payload) == messages.map(\.payload)
        else { throw FuzzFinding(target: self, input: input ?? bytes, fault: "messages do not survive their frames") }
        return .read
    }

    private func messages(_ bytes: [UInt8], chunkBytes: Int) -> Result<[ReceivedMessage], SyncFailure> {
        Result { () throws(SyncFailure) in
            var reader = FrameReader(limits: Self.limits)
            var messages: [ReceivedMessage] = []
            var start = 0
            while start < bytes.count {
                let end = min(start + chunkBytes, bytes.count)
                reader.append(bytes[start..<end])
                start = end
                while let message = try reader.next() { messages.append(message) }
            }
            try reader.finish()
            return messages
        }
    }

    /// The first byte says how the rest is stored.
    private static func framed(_ input: [UInt8]) -> [UInt8] {
        guard let first = input.first else { return [] }
        return Frames.frame(stored: Array(input.dropFirst()), flags: first & 3)
    }

    // MARK: - Messages

    /// The envelope of a message of changes, which its body follows.
    private static let changesHead = head(of: .changes(ViewChunk(objectsTotal: 1)))

    private static let questionHead = head(
        of: .digestsWanted(DigestQuestion(number: 1, seed: 5, acknowledged: 3, asks: [])))

    private static func head(of message: DownloadMessage) -> [UInt8] {
        let payload = message.payload
        return Array(payload.prefix(Int(payload[0]) + 1))
    }

    private func checkMessage<M: WireMessage & Equatable>(
        _ type: M.Type, _ payload: [UInt8], input: [UInt8]? = nil
    ) throws(FuzzFinding) -> FuzzVerdict {
        let message: M
        do throws(SyncFailure) {
            message = try M(payload: payload)
        } catch {
            guard error.code == .messageMalformed, !error.message.isEmpty else {
                throw FuzzFinding(
                    target: self, input: input ?? payload, fault: "refused without a word for it: \(error)")
            }
            return .refused
        }
        return try expectSame(message, input ?? payload, \.payload) { try M(payload: $0) }
    }

    /// What was decoded is written, read and written again.
    private func expectSame<Decoded: Equatable>(
        _ decoded: Decoded, _ input: [UInt8], _ encode: (Decoded) -> [UInt8], _ decode: ([UInt8]) throws -> Decoded
    ) throws(FuzzFinding) -> FuzzVerdict {
        let bytes = encode(decoded)
        let (again, third): (Decoded, Decoded)
        do {
            (again, third) = (try decode(bytes), try decode(bytes))
        } catch {
            throw FuzzFinding(target: self, input: input, fault: "what was written cannot be read: \(error)")
        }
        guard encode(again) == bytes else {
            throw FuzzFinding(target: self, input: input, fault: "what was read is written in other bytes")
        }
        // A NaN does not equal itself; arrays do, whatever they hold, so that it takes another reading to see that.
        guard again == decoded || third != again else {
            throw FuzzFinding(target: self, input: input, fault: "what was written is read as \(again), not \(decoded)")
        }
        return .read
    }

    // MARK: - Bodies

    private func checkChangesets(_ input: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
        guard let changesets = try? Changeset.decode(input) else { return .refused }
        return try expectSame(changesets, input, { Changeset.encode($0) }, { try Changeset.decode($0) })
    }

    private func checkEntry(_ input: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
        guard let entry = try? JournalEntry(encoded: input) else { return .refused }
        return try expectSame(entry, input, \.encoded) { try JournalEntry(encoded: $0) }
    }

    private func checkState<State: EncodedState & Equatable>(
        _ type: State.Type, _ input: [UInt8]
    ) throws(FuzzFinding) -> FuzzVerdict {
        guard let state = try? State(encoded: input) else { return .refused }
        return try expectSame(state, input, { $0.encoded() }, { try State(encoded: $0) })
    }
}
