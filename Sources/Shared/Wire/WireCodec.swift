import CausewayOperations
import SwiftProtobuf

/// A type that is sent as one message.
package protocol WireMessage: Sendable {
    init(payload: [UInt8]) throws(SyncFailure)
    /// - Parameter limits: what one message may hold. Only messages with operations use it.
    init(payload: [UInt8], limits: FrameLimits) throws(SyncFailure)
    var payload: [UInt8] { get }
}

extension WireMessage {
    package init(payload: [UInt8], limits: FrameLimits) throws(SyncFailure) {
        try self.init(payload: payload)
    }
}

/// Converts between messages and the bytes of the stream.
package enum WireCodec {
    /// The message in its frames, ready to be sent.
    package static func encode(_ message: some WireMessage) -> [UInt8] {
        Frame.encode(message.payload)
    }

    /// Decodes a message from its payload.
    /// - Parameter payload: the payload of a message from `FrameReader`.
    package static func decode<M: WireMessage>(_ type: M.Type, from payload: [UInt8]) throws(SyncFailure) -> M {
        try M(payload: payload)
    }

    /// Decodes the one message that a body consists of. Throws when it is not exactly one.
    package static func decode<M: WireMessage>(
        _ type: M.Type, body: [UInt8], limits: FrameLimits = .standard
    ) throws(SyncFailure) -> M {
        try M(payload: payload(of: body, limits: limits), limits: limits)
    }

    /// The payload of the one message that a body consists of. Throws when it is not exactly one.
    package static func payload(of body: [UInt8], limits: FrameLimits = .standard) throws(SyncFailure) -> [UInt8] {
        // A message that is too large as a whole is refused before any of it is decompressed.
        let messageBytes = try FrameReader.messageBytes(claimedBy: body, limits: limits)
        var reader = FrameReader(limits: limits, expecting: messageBytes)
        reader.append(body)
        let message = try reader.next()
        guard let message, reader.heldBytes == 0 else {
            throw .frameDamaged("a body is not exactly one message")
        }
        return message.payload
    }
}

// MARK: - A payload: the envelope's size, the envelope, the body

struct Payload {
    let bytes: [UInt8]
    /// Where the body begins, behind the envelope. It ends with the payload.
    let bodyStart: Int
    private let envelopeStart: Int

    init(_ bytes: [UInt8]) throws(SyncFailure) {
        do {
            var reader = ByteReader(bytes)
            let envelopeBytes = try reader.readLength()
            guard envelopeBytes <= Bounds.envelopeBytes else {
                throw SyncFailure.tooMuch("An envelope of \(envelopeBytes) bytes", Bounds.envelopeBytes)
            }
            envelopeStart = reader.offset
            bodyStart = reader.offset + envelopeBytes
            self.bytes = bytes
        } catch let failure as SyncFailure {
            throw failure
        } catch {
            throw .malformed("\(error)")
        }
    }

    static func encode(_ envelope: some SwiftProtobuf.Message, body: [UInt8] = []) -> [UInt8] {
        guard let envelopeBytes: [UInt8] = try? envelope.serializedBytes() else {
            preconditionFailure("A proto3 message below two gigabytes always has bytes.")
        }
        var writer = ByteWriter()
        writer.reserve(envelopeBytes.count + body.count + 4)
        writer.write(bytes: envelopeBytes)
        writer.write(raw: body)
        return writer.bytes
    }

    func envelope<Envelope: SwiftProtobuf.Message>(_ type: Envelope.Type) throws(SyncFailure) -> Envelope {
        do {
            return try Envelope(serializedBytes: Array(bytes[envelopeStart..<bodyStart]))
        } catch {
            throw .malformed("its envelope is not \(Envelope.protoMessageName) (\(error))")
        }
    }

    /// The envelope of a message without a body. Throws when bytes follow it.
    func envelopeAlone<Envelope: SwiftProtobuf.Message>(_ type: Envelope.Type) throws(SyncFailure) -> Envelope {
        guard bodyStart == bytes.count else {
            throw .malformed("\(bytes.count - bodyStart) bytes follow an envelope that has no body")
        }
        return try envelope(type)
    }

    var body: [UInt8] { Array(bytes[bodyStart...]) }
}

extension SyncFailure {
    static func malformed(_ what: String) -> SyncFailure {
        SyncFailure(
            .messageMalformed,
            "A message cannot be read: \(what). Its frame was whole, so the other end wrote it so: "
                + "update the older of the two programs.")
    }

    static func tooMuch(_ what: String, _ limit: Int) -> SyncFailure {
        SyncFailure(.messageMalformed, "\(what) is more than the \(limit) allowed in a message. Send less at once.")
    }
}
