/// Functions of the server, called by their names.
///
/// ```swift
/// let functions: Functions = user.functions
/// let sum = try await functions.sum(1, 2, 3)
/// functions.sum([1, 2, 3]) { (sum: AnyBSON?, error: (any Error)?) in print(sum?.asInt() ?? 0) }
/// ```
///
/// A function is a program of the server's operator: see `functions` in the server's configuration. An unknown name
/// throws `AppError.functionNotFound`. A function that fails throws `AppError.functionExecutionError` with its message.
@dynamicMemberLookup
public struct Functions: Sendable {
    let user: User

    /// Called with the function's result, or with an error.
    ///
    /// ```swift
    /// let shown: Functions.FunctionCompletionHandler = { value, error in print(value?.asInt() ?? 0) }
    /// ```
    public typealias FunctionCompletionHandler = @Sendable (AnyBSON?, (any Error)?) -> Void
    /// A function that calls back.
    ///
    /// ```swift
    /// let sum: Functions.Function = user.functions.sum
    /// sum([1, 2, 3]) { value, error in print(value?.asInt() ?? 0) }
    /// ```
    public typealias Function = @Sendable ([AnyBSON], @escaping FunctionCompletionHandler) -> Void
    /// Called with the function's outcome.
    ///
    /// ```swift
    /// let shown: Functions.ResultFunctionCompletionHandler = { result in print(result) }
    /// ```
    public typealias ResultFunctionCompletionHandler = @Sendable (Result<AnyBSON, any Error>) -> Void
    /// A function that calls back with an outcome.
    ///
    /// ```swift
    /// let sum: Functions.ResultFunction = user.functions.sum
    /// sum([1, 2, 3]) { result in print(result) }
    /// ```
    public typealias ResultFunction = @Sendable ([AnyBSON], @escaping ResultFunctionCompletionHandler) -> Void

    /// The function with this name, in the form that calls back with a value and an error.
    ///
    /// ```swift
    /// user.functions.sum([1, 2, 3]) { (sum: AnyBSON?, error: (any Error)?) in print(sum?.asInt() ?? 0) }
    /// ```
    public subscript(dynamicMember name: String) -> Function {
        let callable = FunctionCallable(name: name, user: user)
        return { arguments, completion in
            deliver(to: { completion(try? $0.get(), $0.failure) }, { try await callable.call(arguments) })
        }
    }

    /// The function with this name, in the form that calls back with a `Result`.
    ///
    /// ```swift
    /// user.functions.sum([1, 2, 3]) { (result: Result<AnyBSON, any Error>) in print(result) }
    /// ```
    public subscript(dynamicMember name: String) -> ResultFunction {
        let callable = FunctionCallable(name: name, user: user)
        return { arguments, completion in deliver(to: completion) { try await callable.call(arguments) } }
    }

    /// The function with this name, in the async form.
    ///
    /// ```swift
    /// let six = try await user.functions.sum(1, 2, 3)
    /// ```
    public subscript(dynamicMember name: String) -> FunctionCallable {
        FunctionCallable(name: name, user: user)
    }
}

/// One function of the server.
///
/// ```swift
/// let sum: FunctionCallable = user.functions.sum
/// let six = try await sum(1, 2, 3)
/// ```
@dynamicCallable
public struct FunctionCallable: Sendable {
    let name: String
    let user: User

    /// Calls the function and returns its result.
    ///
    /// ```swift
    /// let six = try await user.functions.sum.dynamicallyCall(withArguments: [1, 2, 3])
    /// ```
    ///
    /// - Throws: `AppError`: there is no such function, it failed, or the server cannot be reached.
    @_disfavoredOverload
    public func dynamicallyCall(withArguments arguments: [AnyBSON]) async throws -> AnyBSON {
        try await call(arguments)
    }

    /// Calls the function with arguments that stand in one array.
    ///
    /// ```swift
    /// let six = try await user.functions.sum([1, 2, 3])
    /// ```
    ///
    /// - Throws: `AppError`: there is no such function, it failed, or the server cannot be reached.
    public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) async throws -> AnyBSON {
        try await call(arguments.count == 1 ? arguments[0] : arguments.map { .array($0.map { $0 }) })
    }

    fileprivate func call(_ arguments: [AnyBSON]) async throws -> AnyBSON {
        try await user.call("function", Request(name: name, arguments: arguments), as: Answer.self).result
    }

    private struct Request: Encodable {
        var name: String
        var arguments: [AnyBSON]
    }

    private struct Answer: Decodable {
        var result: AnyBSON
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
