package import CausewayHTTP
package import CausewayJSON
package import CausewayOpenAPI

/// One page of a list. A list is in the order of a text that each entry has to itself, and a page goes on behind the text
/// that `after` names: what comes and goes between two pages moves no other entry.
package struct AdminPage: Sendable {
    package let limit: Int
    /// The text of the last entry of the page before; nil for the first page.
    package let after: String?

    package static let limitStandard = 100
    package static let limitMax = 1_000

    /// What a route with a list takes.
    package static let parameters = [
        limitParameter,
        DescribedParameter("after", .text, "The value of next in the page before."),
    ]

    package static let limitParameter = DescribedParameter(
        "limit", .number(1...limitMax, standard: limitStandard), "How many entries a page has at most.")

    package init(_ request: AdminRequest) {
        limit = min(max(request.number("limit") ?? Self.limitStandard, 1), Self.limitMax)
        after = request.text("after")
    }

    /// The entries of this page, and where the next one begins; nil behind the last.
    ///
    /// - Parameters:
    ///   - entries: all of them, or those behind `after`, in any order.
    ///   - text: by what they are ordered.
    package func cut<Entry>(
        _ entries: some Sequence<Entry>, by text: (Entry) -> String
    ) -> (entries: [Entry], next: String?) {
        let sorted = entries.map { ($0, text($0)) }.filter { after.map($0.1.isBehind) ?? true }
            .sorted { $1.1.isBehind($0.1) }
        guard sorted.count > limit else { return (sorted.map(\.0), nil) }
        return (sorted.prefix(limit).map(\.0), sorted[limit - 1].1)
    }

    /// The answer: an object with the entries under a name, and `next` where there are more.
    ///
    /// - Parameter others: adds further members.
    package func answer<Entry>(
        _ name: String, _ page: (entries: [Entry], next: String?), _ write: (Entry, inout JSONWriter) -> Void,
        beside others: (inout JSONWriter) -> Void = { _ in }
    ) -> HTTPAnswer {
        .json { json in
            json.object { body in
                body.name(name)
                body.array(page.entries, write)
                others(&body)
                if let next = page.next { body.field("next", next) }
            }
        }
    }
}

extension String {
    /// Whether it comes behind another text. By bytes: `<` takes texts for equal that differ in form.
    fileprivate func isBehind(_ other: String) -> Bool { other.utf8.lexicographicallyPrecedes(utf8) }
}
