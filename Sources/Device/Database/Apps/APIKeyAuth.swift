/// Creates and manages the API keys of a user: passwords for programs, which can be revoked one by one.
///
/// ```swift
/// let auth: APIKeyAuth = user.apiKeysAuth
/// let key = try await auth.createAPIKey(named: "laptop")
/// print(key.key!)    // shown this once
/// let same = try await app.login(credentials: .userAPIKey(key.key!))
/// ```
///
/// Every call throws `AppError`.
public struct APIKeyAuth: Sendable {
    let user: User

    /// Creates a key. Only this answer contains the key's text.
    ///
    /// ```swift
    /// let key: UserAPIKey = try await user.apiKeysAuth.createAPIKey(named: "laptop")
    /// ```
    ///
    /// - Throws: `AppError.apiKeyAlreadyExists` when the user has a key with that name.
    public func createAPIKey(named name: String) async throws -> UserAPIKey {
        try await call("createKey", ["name": name])
    }

    /// Creates a key and calls back.
    ///
    /// ```swift
    /// user.apiKeysAuth.createAPIKey(named: "laptop") { result in print((try? result.get().key) ?? "no key") }
    /// ```
    @preconcurrency
    public func createAPIKey(
        named name: String, completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
    ) {
        deliver(to: completion) { try await createAPIKey(named: name) }
    }

    /// Creates a key and calls back with the key or the error.
    ///
    /// ```swift
    /// user.apiKeysAuth.createAPIKey(named: "laptop") { key, error in print(key?.key ?? "no key: \(error!)") }
    /// ```
    @preconcurrency
    public func createAPIKey(
        named name: String, completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
    ) {
        createAPIKey(named: name, completion: inTwo(completion))
    }

    /// Fetches one key, without its text.
    ///
    /// ```swift
    /// let key = try await user.apiKeysAuth.fetchAPIKey(laptop.objectId)
    /// print(key.name, key.disabled ? "is disabled" : "can be used")
    /// ```
    ///
    /// - Throws: `AppError.valueNotFound` when the user has no key with that id.
    public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey {
        try await call("key", ["id": objectId.stringValue])
    }

    /// Fetches one key and calls back.
    ///
    /// ```swift
    /// user.apiKeysAuth.fetchAPIKey(laptop.objectId) { result in print(result) }
    /// ```
    @preconcurrency
    public func fetchAPIKey(
        _ objectId: ObjectId, _ completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
    ) {
        deliver(to: completion) { try await fetchAPIKey(objectId) }
    }

    /// Fetches one key and calls back with the key or the error.
    ///
    /// ```swift
    /// user.apiKeysAuth.fetchAPIKey(laptop.objectId) { key, error in print(key?.name ?? "no key: \(error!)") }
    /// ```
    @preconcurrency
    public func fetchAPIKey(
        _ objectId: ObjectId, _ completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
    ) {
        fetchAPIKey(objectId, inTwo(completion))
    }

    /// Fetches all keys of the user, without their texts.
    ///
    /// ```swift
    /// for key in try await user.apiKeysAuth.fetchAPIKeys() { print(key.objectId, key.name) }
    /// ```
    public func fetchAPIKeys() async throws -> [UserAPIKey] {
        let answer: [String: [UserAPIKey.Record]] = try await user.call("keys", Nothing())
        return try (answer["keys"] ?? []).map(UserAPIKey.init)
    }

    /// Fetches all keys and calls back.
    ///
    /// ```swift
    /// user.apiKeysAuth.fetchAPIKeys { result in print((try? result.get().count) ?? 0) }
    /// ```
    @preconcurrency
    public func fetchAPIKeys(_ completion: @escaping @Sendable (Result<[UserAPIKey], any Error>) -> Void) {
        deliver(to: completion) { try await fetchAPIKeys() }
    }

    /// Fetches all keys and calls back with them or the error.
    ///
    /// ```swift
    /// user.apiKeysAuth.fetchAPIKeys { keys, error in print(keys?.count ?? 0, error ?? "done") }
    /// ```
    @preconcurrency
    public func fetchAPIKeys(_ completion: @escaping @Sendable ([UserAPIKey]?, (any Error)?) -> Void) {
        fetchAPIKeys(inTwo(completion))
    }

    /// Deletes a key: nobody can log in with it any more, and logins made with it end.
    ///
    /// ```swift
    /// try await user.apiKeysAuth.deleteAPIKey(laptop.objectId)
    /// ```
    ///
    /// - Throws: `AppError.valueNotFound` when the user has no key with that id.
    public func deleteAPIKey(_ objectId: ObjectId) async throws {
        try await change("deleteKey", objectId)
    }

    /// Deletes a key and calls back.
    ///
    /// ```swift
    /// user.apiKeysAuth.deleteAPIKey(laptop.objectId) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func deleteAPIKey(_ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await deleteAPIKey(objectId) }
    }

    /// Enables a disabled key.
    ///
    /// ```swift
    /// try await user.apiKeysAuth.enableAPIKey(laptop.objectId)
    /// ```
    ///
    /// - Throws: `AppError.valueNotFound` when the user has no key with that id.
    public func enableAPIKey(_ objectId: ObjectId) async throws {
        try await change("enableKey", objectId)
    }

    /// Enables a disabled key and calls back.
    ///
    /// ```swift
    /// user.apiKeysAuth.enableAPIKey(laptop.objectId) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func enableAPIKey(_ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await enableAPIKey(objectId) }
    }

    /// Disables a key until it is enabled again. Logins made with it end.
    ///
    /// ```swift
    /// try await user.apiKeysAuth.disableAPIKey(laptop.objectId)    // the laptop is lost
    /// ```
    ///
    /// - Throws: `AppError.valueNotFound` when the user has no key with that id.
    public func disableAPIKey(_ objectId: ObjectId) async throws {
        try await change("disableKey", objectId)
    }

    /// Disables a key and calls back.
    ///
    /// ```swift
    /// user.apiKeysAuth.disableAPIKey(laptop.objectId) { error in print(error ?? "done") }
    /// ```
    @preconcurrency
    public func disableAPIKey(_ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void) {
        report(to: completion) { try await disableAPIKey(objectId) }
    }

    private func call(_ name: String, _ request: [String: String]) async throws -> UserAPIKey {
        try UserAPIKey(try await user.call(name, request, as: UserAPIKey.Record.self))
    }

    private func change(_ name: String, _ objectId: ObjectId) async throws {
        _ = try await user.call(name, ["id": objectId.stringValue], as: Nothing.self)
    }
}

/// A key with which programs log in as a user.
///
/// ```swift
/// let keys: [UserAPIKey] = try await user.apiKeysAuth.fetchAPIKeys()
/// if let laptop = keys.first(where: { $0.name == "laptop" && !$0.disabled }) {
///     try await user.apiKeysAuth.disableAPIKey(laptop.objectId)
/// }
/// ```
public struct UserAPIKey: Hashable, Sendable {
    /// Whether the key is disabled.
    public let disabled: Bool
    /// The name given when the key was created.
    public let name: String
    /// The key's text. Only `createAPIKey` returns it; elsewhere it is nil.
    ///
    /// ```swift
    /// if let text = try await user.apiKeysAuth.createAPIKey(named: "laptop").key { print("Write it down: \(text)") }
    /// ```
    public let key: String?
    /// The id of the key. It is not secret.
    public let objectId: ObjectId

    struct Record: Decodable, Sendable {
        var id: String
        var name: String
        var disabled: Bool
        var key: String?
    }

    init(_ record: Record) throws {
        disabled = record.disabled
        name = record.name
        key = record.key
        do {
            objectId = try ObjectId(string: record.id)
        } catch {
            throw AppError(.httpRequestFailed, "The server's answer holds a key without an id.")
        }
    }
}
