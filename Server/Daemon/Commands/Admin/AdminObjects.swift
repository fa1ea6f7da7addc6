import ArgumentParser
import CausewayJSON

struct AdminObjects: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects", abstract: "Finds, shows, changes and deletes objects of a database.",
        discussion: """
            Objects are printed as JSON, one a line. A change takes the way of a back end's write, and the object's history \
            names the user (administrator).
              sync-server admin objects list --database tasks --class Task --where "owner.name == 'Ann'" --sort=-due
              sync-server admin objects change --database tasks --class Task --key 7 --values '{"note": null}'
            """,
        subcommands: [
            List.self, Plan.self, Show.self, Links.self, History.self, Create.self, Change.self, Delete.self,
        ], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the objects of a class that a query selects.")

        @OptionGroup var found: AdminQueryOption

        @Option(help: "The place in the result at which to begin.")
        var from = 0

        @Option(help: "How many objects at most.")
        var limit = 100

        @Option(help: "The properties to print, separated by commas; left out: all.")
        var fields: String?

        func validate() throws {
            guard from >= 0, limit > 0 else { throw ValidationError("--from is 0 or more, and --limit 1 or more.") }
        }

        func run() async throws {
            let client = try found.of.place.options.client()
            var (next, left, count) = (from, limit, 0)
            repeat {
                let page = try await client.call(
                    .get, found.of.path("objects"),
                    query: found.query + [
                        ("from", String(next)), ("limit", String(min(left, 1_000))), ("fields", fields),
                    ])
                let objects = page["objects"]?.elements ?? []
                for object in objects { print(object.line) }
                count = page["count"]?.int.map(Int.init) ?? 0
                (next, left) = (next + objects.count, objects.isEmpty ? 0 : left - objects.count)
            } while left > 0 && next < count
        }
    }

    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints how a query is answered.")

        @OptionGroup var found: AdminQueryOption

        func run() async throws {
            let options = found.of.place.options
            let answer = try await options.client().call(.get, found.of.path("plan"), query: found.query)
            options.show(answer) { $0["plan"]?.string ?? "" }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints an object.")

        @OptionGroup var object: AdminObjectOption

        func run() async throws { print(try await object.call(.get).line) }
    }

    struct Links: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints who links to an object: for each property how many, and the first 20.")

        @OptionGroup var object: AdminObjectOption

        func run() async throws {
            for link in try await object.call(.get, "links")["links"]?.elements ?? [] { print(link.line) }
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what happened to an object, the newest first.",
            discussion: "Events have the form of the change feed. A deleted object has its history too.")

        @OptionGroup var object: AdminObjectOption

        @Option(help: "How many events at most.")
        var limit = 20

        func run() async throws {
            var (before, left): (String?, Int) = (nil, limit)
            repeat {
                let page = try await object.call(
                    .get, "history", query: [("limit", String(min(left, 100))), ("before", before)])
                let events = page["events"]?.elements ?? []
                for event in events { print(event.line) }
                before = page["next"]?.string
                left -= events.count
            } while left > 0 && before != nil
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Creates an object.")

        @OptionGroup var of: AdminClassOption

        @Option(help: "Its values as a JSON object, in the forms of the data API.")
        var values: String

        func run() async throws {
            let answer = try await of.place.options.client().call(
                .post, of.path("objects"), body: Array(values.utf8))
            of.place.options.show(answer) {
                "Created, in version \($0["version"]?.line ?? ""): \($0["key"]?.line ?? "")"
            }
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the properties that are named.", discussion: "Counters take {\"$increment\": 1}.")

        @OptionGroup var object: AdminObjectOption

        @Option(help: "The new values as a JSON object, in the forms of the data API.")
        var values: String

        func run() async throws {
            let answer = try await object.call(.patch, body: Array(values.utf8))
            object.of.place.options.show(answer) { "Changed, in version \($0["version"]?.line ?? "")." }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes an object, on all devices too.")

        @OptionGroup var object: AdminObjectOption

        func run() async throws {
            let answer = try await object.call(.delete)
            object.of.place.options.show(answer) { "Deleted, in version \($0["version"]?.line ?? "")." }
        }
    }
}

/// A class of a database.
struct AdminClassOption: ParsableArguments {
    @OptionGroup var place: AdminDatabaseOption

    @Option(name: .customLong("class"), help: "The class.")
    var className: String

    /// - Parameter kind: `objects` or `plan`.
    func path(_ kind: String) -> [String] { place.path + [kind, className] }
}

/// A query of a class.
struct AdminQueryOption: ParsableArguments {
    @OptionGroup var of: AdminClassOption

    @Option(help: "A text of the query language; left out: all objects.")
    var `where`: String?

    @Option(
        help: "The properties to sort by, separated by commas; a hyphen before one turns its order round: --sort=-age.")
    var sort: String?

    var query: [(name: String, value: String?)] { [("where", `where`), ("sort", sort)] }
}

/// An object of a class.
struct AdminObjectOption: ParsableArguments {
    @OptionGroup var of: AdminClassOption

    @Option(help: "Its primary key, as the data API writes it in a path.")
    var key: String

    func call(
        _ method: AdminClient.Method, _ more: String..., query: [(name: String, value: String?)] = [],
        body: [UInt8]? = nil
    ) async throws -> JSON {
        try await of.place.options.client().call(method, of.path("objects") + [key] + more, query: query, body: body)
    }
}
