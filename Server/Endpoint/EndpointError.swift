/// Why an endpoint cannot start: cause and remedy in one sentence.
package struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    package var message: String

    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The certificate or its key cannot be used.
        package static let certificateUnusable = Code(rawValue: "certificateUnusable")
        /// The address cannot be listened on.
        package static let addressUnusable = Code(rawValue: "addressUnusable")
    }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
