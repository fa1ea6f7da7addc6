/// Every bound of a request, by name.
package struct APILimits: Hashable, Sendable {
    /// Objects of one page: where the request does not say, and at most.
    package var pageObjects = 100
    package var pageObjectsMax = 1_000
    /// A page ends behind the object with which it gets as large as this.
    package var pageBytes = 8 << 20
    /// The body of a request. With `JSONReader.Bounds` it bounds what reading takes.
    package var bodyBytes = 1 << 20
    /// Requests that are worked on at a time in one database: of all users, and of one.
    package var requests = 128
    package var requestsOfUser = 32
    /// How often the changes of a request are worked out anew because others changed the same objects meanwhile.
    package var attempts = 4
    package var idempotencyKeyBytes = 128

    package init() {}
}
