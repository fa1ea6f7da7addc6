public import Foundation

/// Carries the calls of an app that are not sessions: logins, registrations, keys, functions.
///
/// The library speaks HTTP/2 by itself. Set `AppConfiguration.transport` to a transport of your own to answer without
/// a server, or to send the calls another way.
///
/// ```swift
/// final class Offline: NetworkTransport {
///     func send(_ request: NetworkRequest) async throws -> NetworkResponse {
///         NetworkResponse(statusCode: 503, body: Data(#"{"code":"maintenanceInProgress","message":"Later."}"#.utf8))
///     }
/// }
/// ```
public protocol NetworkTransport: AnyObject, Sendable {
    /// Sends one request and returns the answer, whatever its status.
    ///
    /// ```swift
    /// let answer = try await transport.send(request)
    /// ```
    ///
    /// - Throws: when there is no answer. The caller gets it as `AppError.httpRequestFailed`.
    func send(_ request: NetworkRequest) async throws -> NetworkResponse
}

/// A call of an app as an HTTP request. The method is always `POST`.
///
/// ```swift
/// final class Printing: NetworkTransport {
///     func send(_ request: NetworkRequest) async throws -> NetworkResponse {
///         print(request.url, request.headers.keys, request.body.count, request.timeoutMilliseconds)
///         throw URLError(.notConnectedToInternet)
///     }
/// }
/// ```
public struct NetworkRequest: Sendable, Hashable {
    /// The complete URL.
    public var url: String
    /// The headers, including the token.
    public var headers: [String: String]
    /// The body, in JSON.
    public var body: Data
    /// How long the answer may take, in milliseconds.
    public var timeoutMilliseconds: UInt
}

/// The server's answer to a call of an app.
///
/// ```swift
/// let answer = NetworkResponse(statusCode: 200, body: Data("{}".utf8))
/// print(answer.statusCode, answer.body.count)
/// ```
public struct NetworkResponse: Sendable, Hashable {
    /// The HTTP status.
    public var statusCode: Int
    /// The body, in JSON.
    public var body: Data

    /// Creates an answer.
    ///
    /// ```swift
    /// let unauthorized = NetworkResponse(statusCode: 401, body: Data(#"{"code":"invalidSession","message":"No."}"#.utf8))
    /// ```
    public init(statusCode: Int, body: Data) {
        self.statusCode = statusCode
        self.body = body
    }
}
