import CausewayModel
import Yams

// databases[].webhooks, databases[].sinks and databases[].oneWayDays: SINKS.md says what each key means.

extension Configuration {
    /// What carries the changes and the one-way objects of a database on.
    struct Carriers: Hashable, Sendable {
        var webhooks: [Webhook] = []
        var sinks: [OneWaySink] = []
        /// How long one-way objects stay that every sink has; nil is for ever.
        var oneWayDays: Int?
    }

    /// An address that is posted to.
    struct Receiver: Hashable, Sendable {
        var url: String
        var secretFile: String
        var trustRootsFile: String?
    }

    struct Webhook: Hashable, Sendable {
        var name: String
        var receiver: Receiver
        /// Nil is every class.
        var classes: Set<ExactString>?
        var tellsBefore: Bool
        var tellsAfter: Bool
        var batchEvents: Int
        var batchKilobytes: Int
    }

    struct OneWaySink: Hashable, Sendable {
        var name: String
        /// Nil is every class.
        var classes: Set<ExactString>?
        var place: Place

        enum Place: Hashable, Sendable {
            case files(folder: String, rollMegabytes: Int, rollMinutes: Int)
            case postgresql(connectionFile: String, area: String)
            case webhook(Receiver)
        }

        enum Kind: String, CaseIterable {
            case files
            case postgresql
            case webhook
        }
    }

    /// The most webhooks of a database, and sinks of it.
    private static let carriersMax = 16

    static func readCarriers(_ database: inout Section) -> Carriers {
        var carriers = Carriers()
        for (index, node) in nodes("webhooks", &database) {
            var section = Section(node, path: "\(database.key("webhooks"))[\(index)]")
            let name = readName(&section, node, carriers.webhooks.map(\.name))
            let (receiver, classes) = (readReceiver(&section), readClasses(&section))
            let values = section.texts("values")
            if let other = values.first(where: { $0 != "before" && $0 != "after" }) {
                section.note("values", node, "'\(other.prefix(40))' is unknown. Choose before, after, or both.")
            }
            carriers.webhooks.append(
                Webhook(
                    name: name, receiver: receiver, classes: classes, tellsBefore: values.contains("before"),
                    tellsAfter: values.contains("after"),
                    batchEvents: section.number("batchEvents", 1...10_000, default: 100),
                    batchKilobytes: section.number("batchKilobytes", 1...16_384, default: 1_024)))
            database.take(section.finish())
        }
        for (index, node) in nodes("sinks", &database) {
            var section = Section(node, path: "\(database.key("sinks"))[\(index)]")
            let name = readName(&section, node, carriers.sinks.map(\.name))
            if let place = readPlace(&section) {
                carriers.sinks.append(OneWaySink(name: name, classes: readClasses(&section), place: place))
            }
            database.take(section.finish())
        }
        if let node = database.node("oneWayDays") {
            carriers.oneWayDays = database.number("oneWayDays", 0...36_500, default: 0)
            if carriers.sinks.isEmpty {
                database.note(
                    "oneWayDays", node, "There is no sink that would have the objects. Name one, or leave the key out.")
            }
        }
        return carriers
    }

    private static func nodes(_ name: String, _ database: inout Section) -> [(index: Int, node: Node)] {
        let nodes = database.list(name)
        if nodes.count > carriersMax {
            database.note(name, nil, "There are \(nodes.count) of them, and \(carriersMax) are the most.")
        }
        return nodes.prefix(carriersMax).enumerated().map { ($0, $1) }
    }

    private static func readName(_ section: inout Section, _ node: Node, _ others: [String]) -> String {
        let name = section.requiredText("name", "The position is kept under it.")
        if !name.isEmpty, !isDatabaseName(name) {
            section.note("name", node, "Use 1 to 64 letters, digits, '-' and '_'.")
        }
        if others.contains(name) {
            section.note("name", node, "Two have the name '\(name.prefix(64))'. Give each its own name.")
        }
        return name
    }

    private static func readClasses(_ section: inout Section) -> Set<ExactString>? {
        let names = section.texts("classes")
        return names.isEmpty ? nil : Set(names.map { ExactString($0) })
    }

    private static func readReceiver(_ section: inout Section) -> Receiver {
        let url = section.requiredText("url", "Name the address that is posted to.")
        if !url.isEmpty, !url.hasPrefix("https://"), !url.hasPrefix("http://") {
            section.note("url", nil, "'\(url.prefix(80))' is no address of the web. Begin with https://")
        }
        return Receiver(
            url: url,
            secretFile: section.requiredText(
                "secretFile", "Make a secret, for example with: head -c 32 /dev/urandom | base64"),
            trustRootsFile: section.text("trustRoots"))
    }

    private static func readPlace(_ section: inout Section) -> OneWaySink.Place? {
        let kind: OneWaySink.Kind? = section.choice("type", default: nil)
        switch kind {
        case .files?:
            return .files(
                folder: section.requiredText("folder", "Name a folder for the files."),
                rollMegabytes: section.number("rollMegabytes", 1...65_536, default: 64),
                rollMinutes: section.number("rollMinutes", 1...525_600, default: 60))
        case .postgresql?:
            return .postgresql(
                connectionFile: section.requiredText(
                    "connectionFile", "Name a file with a connection string, as host=… dbname=… user=… password=…"),
                area: section.text("schema") ?? "public")
        case .webhook?: return .webhook(readReceiver(&section))
        case nil:
            // The missing type is noted; the rest is not known to be wrong.
            _ = [
                "folder", "rollMegabytes", "rollMinutes", "connectionFile", "schema", "url", "secretFile", "trustRoots",
            ]
            .map { section.node($0) }
            return nil
        }
    }
}

extension Configuration.Carriers {
    /// With paths made absolute.
    func located(_ absolute: (String) -> String) -> Configuration.Carriers {
        func located(_ receiver: Configuration.Receiver) -> Configuration.Receiver {
            var result = receiver
            result.secretFile = absolute(receiver.secretFile)
            result.trustRootsFile = receiver.trustRootsFile.map(absolute)
            return result
        }
        var result = self
        for index in webhooks.indices { result.webhooks[index].receiver = located(webhooks[index].receiver) }
        for index in sinks.indices {
            switch sinks[index].place {
            case .files(let folder, let megabytes, let minutes):
                result.sinks[index].place = .files(
                    folder: absolute(folder), rollMegabytes: megabytes, rollMinutes: minutes)
            case .postgresql(let file, let area):
                result.sinks[index].place = .postgresql(connectionFile: absolute(file), area: area)
            case .webhook(let receiver): result.sinks[index].place = .webhook(located(receiver))
            }
        }
        return result
    }
}
