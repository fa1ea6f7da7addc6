package import CausewayModel
package import CausewaySync

/// What a commit of the file means to its conversation, whoever made it.
package struct FileWatch: Sendable {
    /// The classes that the present session, or the next one, begins with.
    private var schemaTold = Schema()

    package init() {}

    package enum News: Hashable, Sendable {
        /// The file has classes now: the conversation may begin.
        case begins
        case event(Conversation.Event)
    }

    /// Whether there is anything to begin a session with: a file without classes has nothing to say yet.
    package var hasClasses: Bool { !schemaTold.classes.isEmpty }

    /// What has changed since the last call.
    ///
    /// - Parameter standing: the ends of the logs and the classes of the file now.
    package mutating func news(
        _ standing: (logged: Conversation.Logged, schema: Schema), for conversation: Conversation
    ) -> [News] {
        var news: [News] = []
        if standing.schema != schemaTold {
            // A session begins with the classes; where there are new ones, hello is said again.
            news.append(hasClasses ? .event(.schemaChanged) : .begins)
            schemaTold = standing.schema
        }
        let logged = standing.logged
        if logged.changesets > conversation.upload.logged || logged.oneWay > conversation.ingest.logged {
            news.append(.event(.committed(logged)))
        }
        return news
    }
}
