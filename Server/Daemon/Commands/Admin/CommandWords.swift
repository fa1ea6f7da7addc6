/// What the admin API says, in the words of the command line: its members and routes are options and commands here.
enum CommandWords {
    private static let words = [
        ("send evenIfDeclared", "say --even-if-declared"), ("evenIfDeclared", "--even-if-declared"),
        ("deleteFiles", "--delete-files"), ("confirm is", "--confirm is"), ("note has", "--note has"),
        ("call reload", "say `sync-server admin reload`"),
        ("GET /admin/v1/databases lists what it has.", "`sync-server admin databases list` lists what it has."),
    ]

    static func of(_ message: String) -> String {
        var message = message
        for (said, meant) in words where !message.contains(meant) { message = message.replacing(said, with: meant) }
        return message
    }
}
