import ArgumentParser

/// What a question about permissions is about: an object, and who asks for it.
struct InquiryOptions: ParsableArguments {
    @Option(name: .customLong("class"), help: "The class of the object.")
    var className: String

    @Option(help: "The primary key of a stored object.")
    var key: String?

    @Option(help: "The values of an object that is not stored, in JSON. Without key and values, a new object is meant.")
    var values: String?

    @Option(help: "The user that the claims are of.")
    var user: String?

    @Option(help: "The claims, a JSON object.")
    var claims: String?

    @Option(help: "The id of a user of the database's accounts.")
    var account: String?
}
