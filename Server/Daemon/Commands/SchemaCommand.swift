import CausewayJSON
import ArgumentParser
import CausewayStore
import CausewayStoreEmbedded
import Foundation

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Lists the classes and properties of a database, and takes out what should not be there.",
        discussion: """
            Devices add classes and properties, and none of them removes any: the rule permissions.schema.extend says whose \
            may add, limits.schemaClassesOfUser and its neighbours how much.
              sync-server schema list --database flights
              sync-server schema drop --database flights --class Flight --property gate
            """,
        subcommands: [List.self, Drop.self], defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the classes, each with its properties, whether the server runs or not.",
            discussion: """
                One JSON object a line. addedBy is the user whose device added it and added when; both are missing where \
                that was before the server noted it. declared is the day on which a device last had it in its schema.
                """)

        @OptionGroup var place: DatabaseOption

        func run() throws {
            for line in try lines() { print(line) }
        }

        func lines() throws -> [String] {
            let folder = try place.servedFolder().folder
            do throws(StoreFailure) {
                return try StoreEmbedded.schemaElements(folder: folder).map(\.json)
            } catch {
                throw CommandFailure(error.message)
            }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes out a class with all of its objects, or a property with all of its values.",
            discussion: """
                End the server first. What is dropped is lost, on devices too: they let go of it when they connect next. Make \
                a backup before. A device that still declares it adds it again, empty, where its user may; otherwise it is \
                refused, until its app begins a new file. Every device is compared with the database once, as after a restore.
                """)

        @OptionGroup var place: DatabaseOption

        @Option(name: .customLong("class"), help: "The class.")
        var className: String

        @Option(help: "The property of the class; without one the class goes.")
        var property: String?

        @Flag(help: "Do not ask.")
        var yes = false

        func run() throws {
            try run(print: { print($0) }, answer: { readLine() })
        }

        /// - Parameter answer: the operator's answer to what was printed last; nil when nobody answers.
        func run(print: (String) -> Void, answer: () -> String?) throws {
            let folder = try place.servedFolder().folder
            let lock = try taken(folder)
            try drop(in: folder, print: print, answer: answer)
            _ = consume lock
        }

        private func drop(in folder: String, print: (String) -> Void, answer: () -> String?) throws {
            let name = property.map { "\(className).\($0)" } ?? className
            do throws(StoreFailure) {
                let element = try StoreEmbedded.schemaElements(folder: folder).first { element in
                    element.className == className && element.property == property
                }
                let store = try StoreEmbedded.open(folder: folder, epochSeed: UInt64.random(in: 1...UInt64.max))
                defer { store.close() }
                let count = try store.objectsLost(with: className, property: property)
                print(
                    property == nil
                        ? "The class \(name) has \(count) objects, which will be deleted."
                        : "The property \(name) holds something in \(count) objects, which will be lost.")
                if let element { print("It was last declared by a device: \(element.declaredWords).") }
                if !yes {
                    print("Write \(name) to drop it:")
                    guard answer() == name else { return print("Nothing was dropped.") }
                }
                try store.drop(className, property: property)
                print("\(name) was dropped.")
            } catch {
                throw CommandFailure(error.message)
            }
        }

        /// Takes the folder, as a server does.
        private func taken(_ folder: String) throws(CommandFailure) -> FolderLock {
            do throws(CommandFailure) {
                return try FolderLock(folder)
            } catch {
                throw CommandFailure(
                    "The database '\(place.database)' is being served, or its folder is not this user's. Nothing can be "
                        + "dropped under connected devices: end the server, drop, and start it again. (\(error))")
            }
        }
    }
}

extension SchemaElement {
    fileprivate var json: String {
        var fields = [("class", JSONText.quoted(className))]
        if let property { fields.append(("property", JSONText.quoted(property))) }
        fields.append(("is", JSONText.quoted(words)))
        if property == nil { fields.append(("objects", "\(objects)")) }
        if let addedBy { fields.append(("addedBy", JSONText.quoted(addedBy))) }
        if added > 0 { fields.append(("added", JSONText.quoted(Self.time(added)))) }
        if declared > 0 { fields.append(("declared", JSONText.quoted(Self.day(declared)))) }
        return "{" + fields.map { "\(JSONText.quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    fileprivate var declaredWords: String { declared > 0 ? Self.day(declared) : "nobody noted when" }

    private static func time(_ milliseconds: UInt64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }

    private static func day(_ milliseconds: UInt64) -> String { String(time(milliseconds).prefix(10)) }
}
