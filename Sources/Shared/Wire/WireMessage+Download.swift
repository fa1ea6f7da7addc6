import CausewayOperations
import SwiftProtobuf

extension DownloadMessage: WireMessage {
    package var payload: [UInt8] {
        var envelope = EnvelopeDownloadMessage()
        switch self {
        case .changes(let chunk):
            return Payload.encode(chunk.envelope, body: chunk.body)
        case .mark(let mark):
            envelope.mark = EnvelopeMark.with { $0.mark = mark }
        case .heartbeat(let serverTime):
            envelope.heartbeat = EnvelopeHeartbeat.with { $0.serverTime = serverTime }
        case .queriesRefused(let querySet, let failure):
            envelope.queriesRefused = EnvelopeQueriesRefused.with {
                $0.querySet = querySet
                $0.failure = EnvelopeFailure(failure)
            }
        case .end(let failure):
            envelope.end = EnvelopeFailure(failure)
        case .digestsWanted(let question):
            envelope.digestsWanted = EnvelopeDigestsWanted.with {
                $0.number = question.number
                $0.seed = question.seed
                $0.acknowledged = question.acknowledged
            }
            return Payload.encode(envelope, body: question.body)
        }
        return Payload.encode(envelope)
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let payload = try Payload(payload)
        switch try payload.envelope(EnvelopeDownloadMessage.self).kind {
        case .changes(let changes):
            self = .changes(try ViewChunk(changes, body: payload.body))
            return
        case .mark(let mark):
            self = .mark(mark.mark)
        case .heartbeat(let heartbeat):
            self = .heartbeat(serverTime: heartbeat.serverTime)
        case .queriesRefused(let refused):
            self = .queriesRefused(querySet: refused.querySet, SyncFailure(refused.failure))
        case .end(let failure):
            self = .end(SyncFailure(failure))
        case .digestsWanted(let wanted):
            self = .digestsWanted(try DigestQuestion(wanted, body: payload.body))
            return
        case nil:
            throw .malformed("a message of the download is of no kind that this program knows")
        }
        _ = try payload.envelopeAlone(EnvelopeDownloadMessage.self)
    }
}

extension ViewChunk {
    /// All but the objects.
    var envelope: EnvelopeDownloadMessage {
        EnvelopeDownloadMessage.with { message in
            message.changes = EnvelopeChanges.with {
                if let checkpoint { $0.checkpoint = EnvelopeCheckpoint(checkpoint) }
                $0.objectsTotal = objectsTotal
                $0.objectsDone = objectsDone
                if let resume { $0.resume = EnvelopeResumePoint(resume) }
            }
        }
    }

    var body: [UInt8] {
        var writer = ObjectsWriter()
        writer.write(entered, as: RunKind.entered)
        writer.write(entered: enteredRuns)
        writer.write(updated, as: RunKind.updated)
        writer.write(left)
        writer.write(deleted)
        writer.write(refused)
        return writer.finish()
    }

    fileprivate init(_ envelope: EnvelopeChanges, body: [UInt8]) throws(SyncFailure) {
        guard max(envelope.objectsTotal, envelope.objectsDone) <= Bounds.objects else {
            throw .malformed("a part of a change counts more objects than there can be")
        }
        self.init(
            checkpoint: envelope.hasCheckpoint ? Checkpoint(envelope.checkpoint) : nil,
            objectsTotal: envelope.objectsTotal, objectsDone: envelope.objectsDone,
            resume: envelope.hasResume ? ResumePoint(envelope.resume) : nil)
        do {
            var reader = ObjectsReader(body)
            try reader.read(into: &self)
        } catch {
            throw .malformed("\(error)")
        }
    }
}

// MARK: - The small requests of a session

extension DownloadRequest: WireMessage {
    package var payload: [UInt8] { Payload.encode(EnvelopeDownloadRequest.with { $0.session = session }) }

    package init(payload: [UInt8]) throws(SyncFailure) {
        self.init(session: try Payload(payload).envelopeAlone(EnvelopeDownloadRequest.self).session)
    }
}

extension CreditRequest: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(
            EnvelopeCreditRequest.with {
                $0.session = session
                $0.bytes = bytes
            })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeCreditRequest.self)
        self.init(session: envelope.session, bytes: envelope.bytes)
    }
}

extension SubscriptionsRequest: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(
            EnvelopeSubscriptionsRequest.with {
                $0.session = session
                $0.wanted = EnvelopeQuerySet(wanted)
            })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeSubscriptionsRequest.self)
        self.init(session: envelope.session, wanted: try QuerySet(envelope.wanted))
    }
}

extension MarkRequest: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(
            EnvelopeMarkRequest.with {
                $0.session = session
                $0.mark = mark
            })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeMarkRequest.self)
        self.init(session: envelope.session, mark: envelope.mark)
    }
}

extension Accepted: WireMessage {
    package var payload: [UInt8] { Payload.encode(EnvelopeAccepted()) }

    package init(payload: [UInt8]) throws(SyncFailure) {
        _ = try Payload(payload).envelopeAlone(EnvelopeAccepted.self)
        self.init()
    }
}
