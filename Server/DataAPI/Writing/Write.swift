package import CausewayJSON
import CausewayModel

/// One change that a request asks for, as it was written.
package struct Write: Hashable, Sendable {
    package var kind: Kind
    package var className: String
    /// Nil where the content has it.
    package var key: Key?
    /// The members of the object, or of the patch.
    package var content: [JSON.Member] = []
    /// The version of the object that the client has seen; `*` is any.
    package var expected: String?

    package enum Kind: String, CaseIterable, Sendable {
        /// Makes an object that must not be there.
        case create
        /// Makes an object, or replaces everything that the caller may see of it.
        case put
        /// Changes the named properties.
        case patch
        case delete
    }

    package enum Key: Hashable, Sendable {
        /// As it stands in a path.
        case path(String)
        case json(JSON)
    }
}

extension Write {
    /// How many writes one transaction may have.
    static let countMax = 1_000

    /// Reads the body of a transaction: `{"operations": [{"create": "Flight", "object": {…}}, …]}`.
    static func transaction(_ body: JSON) throws(APIError) -> [Write] {
        guard let members = body.members, let list = body["operations"]?.elements else {
            throw APIError(.requestInvalid, #"A transaction is {"operations": [ … ]}."#)
        }
        try refuseUnknown(members, known: ["operations"])
        guard !list.isEmpty, list.count <= countMax else {
            throw APIError(
                .requestInvalid,
                "A transaction has 1 to \(countMax) operations, and this one has \(list.count). Split it.")
        }
        var writes: [Write] = []
        for (index, json) in list.enumerated() {
            do throws(APIError) {
                writes.append(try Write(json))
            } catch {
                throw error.of(operation: index)
            }
        }
        return writes
    }

    private init(_ json: JSON) throws(APIError) {
        guard let members = json.members else { throw Self.misshapen("An operation is an object.") }
        let kinds = Kind.allCases.filter { json[$0.rawValue] != nil }
        guard let kind = kinds.first, kinds.count == 1, let className = json[kind.rawValue]?.string else {
            throw Self.misshapen(
                "An operation has one of the members create, put, patch and delete, and no other of them.")
        }
        self.init(kind: kind, className: className)
        let takesKey = kind == .patch || kind == .delete
        let takesContent = kind != .delete
        try Self.refuseUnknown(
            members,
            known: [kind.rawValue] + (takesKey ? ["key"] : []) + (takesContent ? ["object"] : [])
                + (kind == .create ? [] : ["ifMatch"]))
        if takesKey {
            guard let key = json["key"] else { throw Self.misshapen("“key” is missing: the object's primary key.") }
            self.key = .json(key)
        }
        if takesContent {
            guard let content = json["object"]?.members else {
                throw Self.misshapen("“object” is missing: an object with the values.")
            }
            self.content = content
        }
        if let expected = json["ifMatch"] {
            guard let text = expected.string else {
                throw Self.misshapen("“ifMatch” is the etag of the object, a string.")
            }
            self.expected = text
        }
    }

    private static func misshapen(_ reason: String) -> APIError {
        APIError(.requestInvalid, reason + #" For example: {"patch": "Flight", "key": 1, "object": {"gate": "C3"}}."#)
    }

    static func refuseUnknown(_ members: [JSON.Member], known: [String]) throws(APIError) {
        for member in members where !known.contains(where: { $0.isSame(as: member.name.string) }) {
            throw APIError(
                .requestInvalid,
                "The member “\(member.name.string.prefix(80))” is unknown here. Known are: "
                    + known.joined(separator: ", ") + ".")
        }
    }
}

extension APIError {
    /// The same error, said of one operation of a transaction.
    func of(operation: Int) -> APIError {
        var error = self
        error.operation = operation
        return error
    }
}
