import CausewayFiles
import CausewayModel

/// Which kinds of values appear.
struct KindSet: OptionSet {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ kind: DocumentToken.Kind) { rawValue = 1 << UInt16(kind.rawValue) }

    static let null = KindSet(.null)
    static let foreign = KindSet(.foreign)
    static let array = KindSet(.array)
    static let document = KindSet(.document)
    static let reference = KindSet(.reference)
    static let wholeAndDouble: KindSet = [KindSet(.int), KindSet(.double)]

    /// Those that decide the type of a property.
    var typed: KindSet { subtracting([.null, .foreign]) }
}

/// What documents have in common: the fields that appear in them, and the kinds of their values.
///
/// Memory grows with the number of different fields, and not with the number of documents.
final class DocumentShape {
    /// The most fields of a collection.
    static let fieldsMax = 10_000
    /// A nested document with more different names is a dictionary, whose names are data.
    static let nestedFieldsMax = 500

    /// One field.
    struct Field {
        var kinds: KindSet = []
        /// In how many documents it is.
        var count = 0
        /// The kinds of the elements, if it is an array.
        var elementKinds: KindSet = []
        /// The documents that it is or that are its elements.
        var documents: DocumentShape?
        /// The collections that its references name.
        var references: Set<ExactString> = []
    }

    private(set) var names = FieldNames()
    private(set) var fields: [Field] = []
    private(set) var count = 0
    /// Whether it has too many fields for a class.
    private(set) var isOpen = false
    /// Whether it has the fields of a class.
    var isClass: Bool { !isOpen && !fields.isEmpty }
    private let isNested: Bool

    init(isNested: Bool = false) {
        self.isNested = isNested
    }

    /// Takes a document into account.
    func add(_ document: Int, _ tape: DocumentTape) throws {
        count += 1
        guard !isOpen else { return }
        var before = -1
        for place in tape.children(document) {
            let token = tape.tokens[place]
            let name = tape.bytes(token.name)
            let field = try names.place(of: name, after: before) ?? newField(name)
            if isOpen { return }
            before = field
            try add(token, place, to: field, tape)
        }
    }

    private func newField(_ name: UnsafeRawBufferPointer) throws -> Int {
        if isNested, fields.count >= Self.nestedFieldsMax {
            isOpen = true
            fields = []
            return 0
        }
        guard fields.count < Self.fieldsMax else {
            throw FileFailure(
                "The documents have more than \(Self.fieldsMax) different fields. Give their schema with --schema.")
        }
        fields.append(Field())
        return names.add(String(decoding: name, as: UTF8.self))
    }

    private func add(_ token: DocumentToken, _ place: Int, to field: Int, _ tape: DocumentTape) throws {
        fields[field].count += 1
        fields[field].kinds.insert(KindSet(token.kind))
        switch token.kind {
        case .document: try nested(field).add(place, tape)
        case .reference: addReference(place, to: field, tape)
        case .array:
            for element in tape.children(place) {
                let kind = tape.tokens[element].kind
                fields[field].elementKinds.insert(KindSet(kind))
                if kind == .document { try nested(field).add(element, tape) }
                if kind == .reference { addReference(element, to: field, tape) }
            }
        default: break
        }
    }

    private func nested(_ field: Int) -> DocumentShape {
        if let known = fields[field].documents { return known }
        let shape = DocumentShape(isNested: true)
        fields[field].documents = shape
        return shape
    }

    private func addReference(_ place: Int, to field: Int, _ tape: DocumentTape) {
        // Two are as good as more: then it is no link to one class.
        guard fields[field].references.count < 2, let reference = DocumentReference(place, tape) else { return }
        fields[field].references.insert(ExactString(reference.collection))
    }
}

/// A link to a document, as a DBRef has it.
struct DocumentReference {
    var collection: String
    /// The token of the primary key.
    var id: Int

    init?(_ place: Int, _ tape: DocumentTape) {
        guard tape.tokens[place].kind == .reference, let id = tape.child(place, "$id") else { return nil }
        collection = tape.text(tape.tokens[place + 1].bytes)
        self.id = id
    }
}
