import CausewayJSON
import CausewayHTTP
import CausewayModel
import CausewaySession
import CausewayStore
import CausewaySubscriptions

/// One page of a list: finds its objects, then writes them, step by step.
///
/// Unchecked: one thread at a time calls it, each step after the one before.
final class ListPage: @unchecked Sendable {
    private let scan: PageScan
    private let objects: ObjectWriter
    private let classNumber: Int
    private let request: UInt64
    private let limit: Int
    private let pageBytes: Int
    private let isCounting: Bool
    private var isFound = false
    private var written = 0
    private var json = JSONWriter()

    init(
        _ snapshot: any StoreSnapshot, _ route: APIRoute, under permissions: Permissions?, _ limits: APILimits
    ) throws(APIError) {
        let (number, classSchema) = try snapshot.apiClass(route.className)
        let (text, sort) = (route.parameters["where"], route.parameters["sort"])
        let order = try sort.map { sort throws(APIError) in try SortOrder(sort, classSchema) } ?? SortOrder()
        let query: SingleQuery
        do throws(StoreFailure) {
            query = try SingleQuery(
                text, of: number, sortedBy: order.keys.map(\.column), in: snapshot, under: permissions)
        } catch {
            throw APIError(error)
        }
        let request = Cursor.request(
            classSchema.name, text, sort, order.keys.map { classSchema.properties[$0.column].type })
        let after = try route.parameters["after"].map { after throws(APIError) in
            try Cursor.position(after, of: request, keys: order.keys.count)
        }
        limit = route.number("limit") ?? limits.pageObjects
        isCounting = route.parameters["count"] == "true"
        scan = PageScan(snapshot, query, order: order, after: after, limit: limit, isCounting: isCounting)
        objects = ObjectWriter(snapshot, under: permissions, columns: try ReadCalls.columns(route, classSchema))
        classNumber = number
        self.request = request
        pageBytes = limits.pageBytes
    }

    /// Goes on for a step.
    ///
    /// - Returns: whether the page is complete.
    func step(until end: StepEnd) throws(APIError) -> Bool {
        if !isFound {
            guard try scan.step(until: end) else { return false }
            isFound = true
            begin()
        }
        while written < min(scan.found.count, limit), json.bytes.count < pageBytes {
            if end.isReached { return false }
            try objects.write(Row(classNumber, scan.found[written].row), to: &json)
            written += 1
        }
        finish()
        return true
    }

    private func begin() {
        json.open(UInt8(ascii: "{"))
        json.name("version")
        json.write(scan.snapshot.version.rawValue)
        json.name("objects")
        json.open(UInt8(ascii: "["))
    }

    private func finish() {
        json.close(UInt8(ascii: "]"))
        if let next {
            json.name("next")
            json.write(Cursor.text(next, of: request))
        }
        if isCounting {
            json.name("count")
            json.write(scan.count)
        }
        if scan.isCut {
            json.name("cut")
            json.object { cut in
                cut.name("code")
                cut.write(APIError.Code.tooCostly.rawValue)
                cut.name("message")
                cut.write(
                    "The page is short, because many objects were looked at and few found. Go on with next, or ask by an "
                        + "indexed property.")
            }
        }
        json.close(UInt8(ascii: "}"))
    }

    /// Where the next page begins; nil when this one is the last.
    private var next: SortOrder.Position? {
        if written < scan.found.count { return written > 0 ? scan.found[written - 1] : nil }
        return scan.isCut ? scan.cutPosition : nil
    }

    var answer: APIAnswer { APIAnswer(.json(json.bytes), objectsRead: written) }
}
