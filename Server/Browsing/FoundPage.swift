import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// One part of a search's result: finds the objects, then writes those that are asked for, piece by piece.
///
/// Unchecked: one piece of work at a time uses it.
final class FoundPage: @unchecked Sendable {
    /// What is asked for.
    struct Wish: Sendable {
        var className: String
        var text: String?
        var order: String?
        /// The place in the result of the first object that is answered.
        var from = 0
        var limit = AdminPage.limitStandard
        /// Names of properties, separated by commas; nil for all.
        var fields: String?
    }

    private let state: BrowsedState
    private let table: Table
    private let wish: Wish
    private let columns: Set<Int>?
    private let searches: Searches
    private let bounds: ObjectSearch.Bounds
    private let question: LastFound.Question
    private var search: ObjectSearch?
    /// Held while it searches.
    private var place: Searches.Place?
    private var found: [ObjectKey]?
    private var written = 0
    private var json = JSONWriter()

    /// A page ends behind the object with which it gets as large as this.
    static let bytesMax = 8 << 20

    init(_ state: BrowsedState, _ wish: Wish, _ searches: Searches, _ bounds: ObjectSearch.Bounds) throws(AdminError) {
        self.state = state
        self.wish = wish
        (self.searches, self.bounds) = (searches, bounds)
        let table = try state.table(wish.className)
        self.table = table
        columns = try wish.fields.map { fields throws(AdminError) in try Self.columns(fields, table.schema) }
        question = LastFound.Question(
            version: state.version, className: wish.className, text: wish.text ?? "", order: wish.order ?? "")
        found = searches.found[question]
        if found == nil {
            place = try searches.enter()
            search = try state.search(wish.className, wish.text, order: wish.order)
        }
    }

    private static func columns(_ fields: String, _ schema: ClassSchema) throws(AdminError) -> Set<Int> {
        var columns: Set<Int> = []
        for name in fields.split(separator: ",") {
            guard let column = schema.index(of: String(name)) else {
                throw AdminError(
                    .requestInvalid, "“\(schema.name)” has no property “\(name.prefix(80))”. Correct fields.")
            }
            columns.insert(column)
        }
        return columns
    }

    /// Goes on until the page is complete, or time is over.
    ///
    /// - Returns: whether the page is complete.
    func go(until isOver: () -> Bool) throws(AdminError) -> Bool {
        if let search {
            guard try search.go(until: isOver, within: bounds) else { return false }
            searches.found.keep(search.found, for: question)
            found = search.found
            (self.search, place) = (nil, nil)
        }
        guard let found else { preconditionFailure("A result is there, or is searched for.") }
        if json.bytes.isEmpty { begin(count: found.count) }
        let rows = found.dropFirst(wish.from).prefix(wish.limit)
        while written < rows.count, json.bytes.count < Self.bytesMax {
            if isOver(), written > 0 { return false }
            let key = rows[rows.startIndex + written]
            try state.write(BrowsedObject(table: table, key: key), columns: columns, to: &json)
            written += 1
        }
        json.close(UInt8(ascii: "]"))
        json.close(UInt8(ascii: "}"))
        return true
    }

    private func begin(count: Int) {
        json.open(UInt8(ascii: "{"))
        json.field("version", state.version)
        json.field("count", count)
        json.field("from", wish.from)
        json.name("objects")
        json.open(UInt8(ascii: "["))
    }

    var answer: HTTPAnswer { .json(json.bytes) }
}
