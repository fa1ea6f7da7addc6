import CausewayFiles

/// How documents are written.
package enum DocumentFormat: String, CaseIterable, Sendable {
    case mongoexport, bson
}

/// Why a document is not read.
enum ParseStop: Error {
    /// Its end is not in the window.
    case incomplete
    case failure(String, place: Int)
}

/// Reads one document from a window onto a tape.
protocol DocumentParser {
    /// The most bytes of a document.
    static var documentBytesMax: Int { get }

    /// Reads the document that begins at a place, or behind it.
    ///
    /// - Parameter place: moved behind the document.
    /// - Returns: where the document begins; nil behind the last one.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, at place: inout Int, isLast: Bool, onto tape: DocumentTape
    ) throws(ParseStop) -> Int?
}

/// Reads the documents of one file, some at a time.
final class DocumentReader {
    /// Rows come in leaves of a thousand, and those that are filled whole are the cheapest.
    private static let documentsOfLeaf = 1_000
    /// With more values, no further document is read at once.
    private static let tokensMax = 1_000_000

    let tape = DocumentTape()
    private let window: DocumentWindow
    private var parser: any DocumentParser
    /// How many documents came before those on the tape.
    private(set) var countBefore = 0
    /// How many bytes the documents on the tape have.
    private(set) var byteCount = 0

    init(_ path: String, _ format: DocumentFormat) throws {
        switch format {
        case .mongoexport: parser = JSONDocumentParser()
        case .bson: parser = BSONParser()
        }
        window = DocumentWindow(try ByteSource(path: path), bytesMax: type(of: parser).documentBytesMax)
    }

    var path: String { window.path }

    /// Reads the next documents: at least one, and no more than are wanted. False behind the last one.
    func next(documentsMax: Int) throws -> Bool {
        countBefore += tape.documents.count
        tape.removeAll()
        byteCount = 0
        while true {
            let isLast = window.isAtEnd
            try parseWindow(documentsMax)
            if !tape.documents.isEmpty { return true }
            if isLast { return false }
            try window.fill()
        }
    }

    private func parseWindow(_ documentsMax: Int) throws {
        tape.window = window.bytes
        var place = window.rest.lowerBound
        while tape.documents.count < documentsMax, tape.tokens.count < Self.tokensMax {
            guard try parseDocument(&place) else { break }
        }
        keepWholeLeaves(&place, documentsMax)
        byteCount = place - window.rest.lowerBound
        window.take(to: place)
    }

    /// False if there is no whole one in the window.
    private func parseDocument(_ place: inout Int) throws -> Bool {
        let (tokens, decoded, start) = (tape.tokens.count, tape.decoded.count, place)
        let bytes = UnsafeRawBufferPointer(rebasing: window.bytes[..<window.rest.upperBound])
        do throws(ParseStop) {
            guard let begin = try parser.parse(bytes, at: &place, isLast: window.isAtEnd, onto: tape) else {
                return false
            }
            tape.append(document: tokens, offset: window.sourceOffset(of: begin))
            return true
        } catch {
            tape.drop(from: tokens, decodedCount: decoded)
            switch error {
            case .incomplete where !window.isAtEnd:
                place = start
                return false
            case .incomplete: throw failure("it has no end: the file was cut off", at: window.rest.upperBound)
            case .failure(let reason, let place): throw failure(reason, at: place)
            }
        }
    }

    /// Leaves documents behind the last whole leaf to the next call.
    private func keepWholeLeaves(_ place: inout Int, _ documentsMax: Int) {
        let count = tape.documents.count
        let kept = count - count % Self.documentsOfLeaf
        guard !window.isAtEnd, count < documentsMax, kept > 0, kept < count else { return }
        place -= window.sourceOffset(of: place) - tape.documents[kept].offset
        tape.keepDocuments(kept)
    }

    private func failure(_ reason: String, at place: Int) -> FileFailure {
        let number = countBefore + tape.documents.count + 1
        return FileFailure(
            "Document \(number) of '\(path)' cannot be read at byte \(window.sourceOffset(of: place)): \(reason).")
    }

    /// Names a document of the tape.
    func words(_ index: Int) -> String {
        "Document \(countBefore + index + 1) of '\(path)', at byte \(tape.documents[index].offset)"
    }
}
