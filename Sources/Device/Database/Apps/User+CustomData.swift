import Foundation

// RealmSwift gives custom data as Foundation's dictionary, a document of plain values.

extension User {
    /// Updates `customData`, the profile and the identities from the server, and returns `customData` as plain values.
    ///
    /// ```swift
    /// let data = try await user.refreshCustomData()
    /// print(data["team"] as? String ?? "no team")
    /// ```
    ///
    /// - Throws: `AppError` when the server refuses or cannot be reached.
    @discardableResult
    public func refreshCustomData() async throws -> sending [AnyHashable: Any] {
        let document: Document = try await refreshCustomData()
        return plain(document)
    }

    /// Updates `customData` from the server and calls back with it as plain values.
    ///
    /// ```swift
    /// user.refreshCustomData { result in print((try? result.get()["team"] as? String) ?? "no team") }
    /// ```
    @preconcurrency
    public func refreshCustomData(
        _ completion: @escaping @Sendable (Result<[AnyHashable: Any], any Error>) -> Void
    ) {
        refreshCustomData { (result: Result<Document, any Error>) in completion(result.map { plain($0) }) }
    }

    /// Updates `customData` from the server, and calls back with it as plain values, or with the error.
    ///
    /// ```swift
    /// user.refreshCustomData { data, error in print(data?["team"] as? String ?? "no team: \(error!)") }
    /// ```
    @preconcurrency
    public func refreshCustomData(_ completion: @escaping @Sendable ([AnyHashable: Any]?, (any Error)?) -> Void) {
        refreshCustomData(inTwo(completion))
    }
}

private func plain(_ document: Document) -> [AnyHashable: Any] {
    var values: [AnyHashable: Any] = [:]
    for (key, value) in document { values[key] = plain(value) }
    return values
}

private func plain(_ value: AnyBSON?) -> Any {
    switch value {
    case .int32(let value): Int(value)
    case .int64(let value): Int(value)
    case .bool(let value): value
    case .double(let value): value
    case .string(let value): value
    case .binary(let value): value
    case .timestamp(let value), .datetime(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    case .regex(let value): value
    case .document(let value): plain(value)
    case .array(let values): values.map { plain($0) }
    case .maxKey: MaxKey()
    case .minKey: MinKey()
    case .null, nil: NSNull()
    }
}
