import CausewayWire
import Foundation
import Testing

/// Messages and the bytes kept of them in `Tests/Vectors/wire`. `VectorTests` know what each of them says.
@Suite("The protocol page and its vectors")
struct ProtocolPageVectorTests {
    /// A row of the page: how the names of its vectors begin, and what a vector is written as once it was read.
    private struct Message: Sendable {
        let vector: String
        let rewrite: @Sendable ([UInt8]) throws -> [UInt8]

        init<M: WireMessage>(
            _ vector: String, _ type: M.Type, where isMeant: @escaping @Sendable (M) -> Bool = { _ in true }
        ) {
            self.vector = vector
            rewrite = { bytes in
                let message = try WireCodec.decode(M.self, body: bytes)
                try #require(isMeant(message), "another message than the name says")
                return message.payload
            }
        }

        func names(_ file: String) -> Bool { file == vector || file.hasPrefix(vector + "-") }
    }

    /// A message that is added to the page needs a line here, and so a vector.
    private static let messages: [String: Message] = [
        "Hello": Message("hello", Hello.self),
        "Welcome": Message("welcome", Welcome.self),
        "UploadRequest": Message("upload", UploadRequest.self),
        "UploadAnswer": Message("upload-answer", UploadAnswer.self),
        "DownloadRequest": Message("download", DownloadRequest.self),
        "DownloadMessage changes": Message("download-changes", DownloadMessage.self) {
            if case .changes = $0 { true } else { false }
        },
        "DownloadMessage mark": Message("download-mark", DownloadMessage.self) {
            if case .mark = $0 { true } else { false }
        },
        "DownloadMessage heartbeat": Message("download-heartbeat", DownloadMessage.self) {
            if case .heartbeat = $0 { true } else { false }
        },
        "DownloadMessage queriesRefused": Message("download-refused", DownloadMessage.self) {
            if case .queriesRefused = $0 { true } else { false }
        },
        "DownloadMessage end": Message("download-end", DownloadMessage.self) {
            if case .end = $0 { true } else { false }
        },
        "DownloadMessage digestsWanted": Message("download-digests-wanted", DownloadMessage.self) {
            if case .digestsWanted = $0 { true } else { false }
        },
        "ResyncRequest": Message("resync", ResyncRequest.self),
        "CreditRequest": Message("credit", CreditRequest.self),
        "SubscriptionsRequest": Message("subscriptions", SubscriptionsRequest.self),
        "MarkRequest": Message("mark", MarkRequest.self),
        "Accepted": Message("accepted", Accepted.self),
        "IngestBatch": Message("ingest", IngestBatch.self),
        "IngestAnswer": Message("ingest-answer", IngestAnswer.self),
        "Failure": Message("failure", SyncFailure.self),
    ]

    @Test("every message of the page has a vector, and every vector is read and written again as the same bytes")
    func vectors() throws {
        let rows = try ProtocolPage().table("Message", in: "Messages").map { $0[0] }
        #expect(Set(rows) == Set(Self.messages.keys))
        let folder = ProtocolPage.root.appending(path: "Tests/Vectors/wire")
        var missing = Set(rows)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted() {
            let name = try #require(file.firstMatch(of: /^(.*)\.frame$/), "\(file)").1
            if name.hasPrefix("broken-") { continue }
            let (row, message) = try #require(
                Self.messages.filter { $1.names(String(name)) }.max { $0.value.vector.count < $1.value.vector.count },
                "\(file) is a vector of no message of the page")
            missing.remove(row)
            let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
            var reader = FrameReader()
            reader.append(bytes[...])
            let payload = try #require(try reader.next()).payload
            #expect(try message.rewrite(bytes) == payload, "\(file)")
        }
        #expect(missing == [], "messages without a vector")
    }
}
