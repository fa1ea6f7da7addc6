package import CausewayOpenAPI

/// One call of the API. `all` is the only list of them: routes, checks of parameters and the OpenAPI document follow from
/// it.
package struct APICall: Hashable, Sendable {
    package var name: Name
    package var method: String
    /// The parts of the path behind `/api/v1/{database}`; of `openapi` behind `/api/v1`.
    package var path: [Part]
    package var summary: String
    package var parameters: [DescribedParameter] = []
    package var headers: [DescribedParameter] = []
    package var body: Body?
    package var answer: Answer
    /// What can go wrong, beside what can go wrong with every call.
    package var errors: [APIError.Code] = []

    package enum Name: String, CaseIterable, Sendable {
        case openapi
        case readSchema
        case listObjects
        case createObject
        case readObject
        case patchObject
        case putObject
        case deleteObject
        case commitTransaction
    }

    package enum Part: Hashable, Sendable {
        case word(String)
        case className
        case key
    }

    package enum Body: String, Sendable {
        case object = "Object"
        case patch = "Patch"
        case transaction = "Transaction"
    }

    package struct Answer: Hashable, Sendable {
        package var statuses: [Int]
        /// The schema of the document; nil for the document itself.
        package var schema: String?
    }

    /// Whether it may change objects.
    var writes: Bool { method != "GET" }

    /// A call that names a database takes a token.
    package var namesDatabase: Bool { name != .openapi }
}

extension APICall {
    package static let prefix = ["api", "v1"]

    /// What can go wrong with every call that names a database.
    package static let commonErrors: [APIError.Code] = [
        .requestInvalid, .tokenInvalid, .tokenExpired, .databaseUnknown, .tooManyRequests, .serverFault, .serverBusy,
    ]

    private static let limits = APILimits()

    private static let ofObject: [Part] = [.word("objects"), .className, .key]

    private static let writeErrors: [APIError.Code] = [
        .valueInvalid, .permissionDenied, .classUnknown, .conflict, .bodyTooLarge, .operationInvalid,
        .idempotencyKeyReused, .tooCostly, .serverOutOfSpace,
    ]

    private static let idempotency = DescribedParameter(
        "Idempotency-Key", .text, "The request takes effect once, however often it is sent.")
    private static let ifMatch = DescribedParameter(
        "If-Match", .text, "The ETag of the object that the client has seen, or * for any.")
    private static let fields = DescribedParameter(
        "fields", .text, "The properties to answer, separated by commas.")

    package static let all: [APICall] = [
        APICall(
            name: .openapi, method: "GET", path: [.word("openapi.yaml")], summary: "This document.",
            answer: Answer(statuses: [200])),
        APICall(
            name: .readSchema, method: "GET", path: [.word("schema")], summary: "The classes and their properties.",
            answer: Answer(statuses: [200], schema: "Schema")),
        APICall(
            name: .listObjects, method: "GET", path: [.word("objects"), .className],
            summary: "The objects of a class that a query finds, page by page.",
            parameters: [
                DescribedParameter("where", .text, "A condition in the query language."),
                DescribedParameter(
                    "sort", .text,
                    "Properties, separated by commas; a minus puts the greatest first."),
                DescribedParameter(
                    "limit", .number(1...limits.pageObjectsMax, standard: limits.pageObjects),
                    "How many objects a page has at most."),
                DescribedParameter("after", .text, "The cursor in next of the page before."), fields,
                DescribedParameter("count", .flag, "Whether to count all objects that the query finds."),
            ],
            answer: Answer(statuses: [200], schema: "Page"), errors: [.queryInvalid, .classUnknown, .tooCostly]),
        APICall(
            name: .createObject, method: "POST", path: [.word("objects"), .className], summary: "Creates an object.",
            headers: [idempotency], body: .object, answer: Answer(statuses: [201], schema: "Written"),
            errors: writeErrors + [.objectExists]),
        APICall(
            name: .readObject, method: "GET", path: ofObject, summary: "One object.", parameters: [fields],
            answer: Answer(statuses: [200], schema: "Object"), errors: [.classUnknown, .objectUnknown, .tooCostly]),
        APICall(
            name: .patchObject, method: "PATCH", path: ofObject, summary: "Changes the named properties of an object.",
            headers: [idempotency, ifMatch], body: .patch, answer: Answer(statuses: [200], schema: "Written"),
            errors: writeErrors + [.objectUnknown, .preconditionFailed]),
        APICall(
            name: .putObject, method: "PUT", path: ofObject,
            summary: "Creates an object, or replaces all of its properties.",
            headers: [idempotency, ifMatch], body: .object, answer: Answer(statuses: [200, 201], schema: "Written"),
            errors: writeErrors + [.preconditionFailed]),
        APICall(
            name: .deleteObject, method: "DELETE", path: ofObject, summary: "Deletes an object.",
            headers: [idempotency, ifMatch], answer: Answer(statuses: [200], schema: "Written"),
            errors: writeErrors.filter { $0 != .valueInvalid } + [.objectUnknown, .preconditionFailed]),
        APICall(
            name: .commitTransaction, method: "POST", path: [.word("transaction")],
            summary: "Several changes, all or none of them.", headers: [idempotency], body: .transaction,
            answer: Answer(statuses: [200], schema: "Committed"),
            errors: writeErrors + [.objectExists, .objectUnknown, .preconditionFailed]),
    ]
}
