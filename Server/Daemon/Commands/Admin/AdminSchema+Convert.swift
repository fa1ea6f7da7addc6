import ArgumentParser
import CausewayAdmin
import CausewayJSON
import CausewayModel

extension AdminSchema {
    struct Convert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a property another type, and converts all values.",
            discussion: """
                Without --confirm nothing is converted: it says how many values do not fit, and ends with \
                \(AdminExit.unconfirmed.rawValue). Server/Conversion/CONVERSIONS.md has the rules for values. Devices whose app \
                declares the old type are refused afterwards.
                """)

        @OptionGroup var place: AdminDatabaseOption

        @Option(name: .customLong("class"), help: "The class.")
        var className: String

        @Option(help: "The property.")
        var property: String

        @Option(
            help: "The new type: bool, int, float, double, string, data, date, objectId, uuid, decimal128 or mixed.")
        var to: String

        @Option(help: "Whether it may be null: true or false; left out, as it is now. A mixed property may.")
        var optional: Bool?

        @Option(help: "What becomes of values that do not fit: refuse, null or default; left out, refuse.")
        var misfits: String?

        @Option(
            parsing: .unconditional,
            help: "Stands for values that do not fit: JSON, as the data API writes the new type.")
        var `default`: String?

        @Option(help: "The name again, as Class.property.")
        var confirm: String?

        @Flag(help: "Also what a device has declared within the last 30 days.")
        var evenIfDeclared = false

        func run() async throws {
            let answer = try await place.options.client().call(
                .post, place.path + ["schema", "convert"], body: try body(), seconds: AdminClient.schemaSeconds)
            place.options.show(answer) { words(of: $0) }
            if answer["isConverted"] != .bool(true) { throw AdminExit.unconfirmed }
        }

        func body() throws(CommandFailure) -> [UInt8] {
            let value = try self.default.map(Self.json)
            var writer = JSONWriter()
            writer.object { json in
                json.field("class", className)
                json.field("property", property)
                json.field("to", to)
                if let optional { json.field("optional", optional) }
                json.field("misfits", ifAny: misfits)
                if let value {
                    json.name("default")
                    json.write(value)
                }
                json.field("confirm", ifAny: confirm)
                if evenIfDeclared { json.field("evenIfDeclared", true) }
            }
            return writer.bytes
        }

        private static func json(_ text: String) throws(CommandFailure) -> JSON {
            do throws(JSONReader.Failure) {
                return try JSONReader.read(Array(text.utf8))
            } catch {
                throw CommandFailure(
                    "--default is not JSON: \(error.reason). A text has quotation marks: --default '\"none\"'.")
            }
        }

        func words(of answer: JSON) -> String {
            let name = answer["name"]?.string ?? "\(className).\(property)"
            let (from, to) = (answer["from"]?.string ?? "", answer["to"]?.string ?? to)
            let isConverted = answer["isConverted"] == .bool(true)
            let misfits = (answer["misfits"]?.members ?? []).map { ($0.name.string, $0.value.int ?? 0) }
            var lines = [
                isConverted
                    ? "\(name) was \(from), and is \(to)." : "\(name) is still \(from). It would be \(to).",
                "Objects: \(answer["objects"]?.int ?? 0). Values that \(isConverted ? "did" : "do") not fit: "
                    + (misfits.isEmpty ? "none." : misfits.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + "."),
            ]
            let brokenRules = answer["brokenRules"]?.elements ?? []
            lines += brokenRules.map { "A permission rule does not fit it: \($0.string ?? "")" }
            if !isConverted { lines.append(next(name, misfits: !misfits.isEmpty, brokenRules: !brokenRules.isEmpty)) }
            return lines.joined(separator: "\n")
        }

        private func next(_ name: String, misfits: Bool, brokenRules: Bool) -> String {
            if brokenRules { return "It cannot be converted before these rules are changed." }
            if misfits, [nil, "refuse"].contains(self.misfits) {
                return
                    "It cannot be converted before these values are corrected, or --misfits says what becomes of them."
            }
            return "\(AdminSchema.consequence)\nTo convert it, add --confirm \(name)."
        }
    }
}
