import CausewayModel

/// Some documents of a file, as one row of tokens. The memory is used again for the next ones.
final class DocumentTape {
    /// The most tokens of a document.
    static let documentTokensMax = 4_000_000
    /// How deep documents and arrays may nest. MongoDB has the same bound.
    static let depthMax = 100

    /// One document.
    struct Document {
        var token: Int
        /// Where it begins in its file.
        var offset: Int
    }

    private(set) var tokens: ContiguousArray<DocumentToken> = []
    private(set) var documents: ContiguousArray<Document> = []
    /// What escapes and base64 stand for.
    let decoded = DecodedBytes()
    /// The bytes of the window that the tokens name. Valid until the window is filled again.
    var window = UnsafeRawBufferPointer(start: nil, count: 0)

    func removeAll() {
        tokens.removeAll(keepingCapacity: true)
        documents.removeAll(keepingCapacity: true)
        decoded.removeAll()
    }

    // MARK: - Writing

    func append(_ token: DocumentToken) {
        var token = token
        token.end = UInt32(truncatingIfNeeded: tokens.count + 1)
        tokens.append(token)
    }

    /// Ends a container whose content was appended.
    func close(_ place: Int) {
        tokens[place].end = UInt32(truncatingIfNeeded: tokens.count)
        guard tokens[place].kind == .document, isReference(place) else { return }
        tokens[place].kind = .reference
    }

    /// Puts one value in the place of a container and what it holds.
    func fold(_ place: Int, into token: DocumentToken) {
        tokens.removeSubrange(place...)
        append(token)
    }

    func append(document token: Int, offset: Int) {
        documents.append(Document(token: token, offset: offset))
    }

    /// Drops a document that was not read to its end.
    func drop(from token: Int, decodedCount: Int) {
        tokens.removeSubrange(token...)
        decoded.removeAll(from: decodedCount)
    }

    /// Drops the documents from one on. They are read again later.
    func keepDocuments(_ count: Int) { documents.removeSubrange(count...) }

    // MARK: - Reading

    /// Valid until something is written.
    func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        let places = range.start..<range.start + Int(range.count)
        return range.isDecoded ? decoded[places] : UnsafeRawBufferPointer(rebasing: window[places])
    }

    func text(_ range: ByteRange) -> String { String(decoding: bytes(range), as: UTF8.self) }

    /// The places of what a container holds.
    func children(_ place: Int) -> ChildPlaces {
        ChildPlaces(tape: self, place: place + 1, end: Int(tokens[place].end))
    }

    struct ChildPlaces: Sequence, IteratorProtocol {
        let tape: DocumentTape
        var place: Int
        let end: Int

        mutating func next() -> Int? {
            guard place < end else { return nil }
            defer { place = Int(tape.tokens[place].end) }
            return place
        }
    }

    func child(_ place: Int, _ name: String) -> Int? {
        children(place).first { hasName($0, name) }
    }

    func hasName(_ place: Int, _ name: String) -> Bool {
        bytes(tokens[place].name).elementsEqual(name.utf8)
    }

    private func isReference(_ place: Int) -> Bool {
        let first = place + 1
        guard first < tokens.count, tokens[first].kind == .string, hasName(first, "$ref") else { return false }
        let second = Int(tokens[first].end)
        return second < tokens.count && hasName(second, "$id")
    }
}
