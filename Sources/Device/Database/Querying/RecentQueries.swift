import CausewayModel
import CausewayQuery

/// The format strings that a Realm was asked last, with the steps that they were read and bound to. Apps ask the same
/// again and again, and reading a question takes longer than answering it from an index.
///
/// Only questions to a whole class are kept, and only those with few arguments, all of them plain values: an object
/// must be looked at each time, because it may be deleted.
struct RecentQueries {
    private static let most = 16
    private static let mostArguments = 8
    private static let mostBytes = 1_024

    /// Everything that decides how a format string is read and bound.
    struct Question {
        fileprivate let element: Any.Type
        // Not counted: the instance forgets its queries together with its classes.
        fileprivate unowned(unsafe) let access: _ClassAccess
        fileprivate let format: String
        fileprivate let arguments: [Value]

        /// Nil for a question that is not kept.
        init?(_ format: String, _ arguments: [Any?], of access: _ClassAccess, showing element: Any.Type) {
            guard arguments.count <= RecentQueries.mostArguments, format.utf8.count <= RecentQueries.mostBytes else {
                return nil
            }
            var values: [Value] = []
            values.reserveCapacity(arguments.count)
            for case let argument? in arguments {
                guard let value = usualValue(argument) else { return nil }
                if case .string(let text) = value, text.utf8.count > RecentQueries.mostBytes { return nil }
                values.append(value)
            }
            guard values.count == arguments.count else { return nil }
            self.element = element
            self.access = access
            self.format = format
            self.arguments = values
        }

        fileprivate func isSame(as other: Question) -> Bool {
            access === other.access && element == other.element && format.isSame(as: other.format)
                && arguments.count == other.arguments.count
                && zip(arguments, other.arguments).allSatisfy { $0.isSameUsual(as: $1) }
        }
    }

    /// An object, so that finding it copies nothing.
    private final class Query {
        let question: Question
        let steps: [_ResultsSource.Step]
        let writtenConditions: [CausewayQuery.Predicate]?

        init(_ question: Question, _ source: _ResultsSource) {
            self.question = question
            steps = source.steps
            writtenConditions = source.writtenConditions
        }
    }

    private var queries: [Query] = []
    /// Where the next one goes, once there are as many as may be.
    private var next = 0

    /// New results that ask the same question; nil when it was not asked lately.
    func source(_ question: Question) -> _ResultsSource? {
        guard let query = queries.first(where: { $0.question.isSame(as: question) }) else { return nil }
        return _ResultsSource(
            .table, of: question.access, in: question.access.instance, steps: query.steps,
            writtenConditions: query.writtenConditions)
    }

    mutating func keep(_ question: Question, _ source: _ResultsSource) {
        let query = Query(question, source)
        if queries.count < Self.most {
            queries.append(query)
        } else {
            queries[next] = query
            next = (next + 1) % Self.most
        }
    }
}

extension Value {
    /// Whether both are the same string, byte by byte, or the same integer.
    fileprivate func isSameUsual(as other: Value) -> Bool {
        switch (self, other) {
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.int(let left), .int(let right)): left == right
        default: false
        }
    }
}
