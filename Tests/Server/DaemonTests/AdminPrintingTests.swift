import CausewayJSON
import Testing

@testable import CausewayDaemon

@Suite("What sync-server admin prints")
struct AdminPrintingTests {
    @Test("a text of several lines goes on below itself, and controls nothing of a terminal")
    func tables() {
        let entries: [JSON] = [
            .object([.init("part", .string("configuration")), .init("reason", .string("bad:\n- one\n- two"))]),
            .object([.init("part", .string("li\u{1B}[2Jmits")), .init("reason", .null)]),
        ]
        let lines = AdminTable.lines(entries, [AdminColumn("PART", "part"), AdminColumn("REASON", "reason")])
        #expect(
            lines == [
                "PART           REASON", "configuration  bad:", "               - one", "               - two",
                "li\u{FFFD}[2Jmits     -",
            ], "\(lines)")
    }

    @Test("what the API says is said in options and commands at the command line")
    func commandWords() {
        #expect(CommandWords.of("To drop it, send evenIfDeclared.") == "To drop it, say --even-if-declared.")
        #expect(CommandWords.of("deleteFiles does not name it.") == "--delete-files does not name it.")
        #expect(CommandWords.of("confirm is not “a”.") == "--confirm is not “a”.")
        #expect(CommandWords.of("Nothing of this.") == "Nothing of this.")
    }
}
