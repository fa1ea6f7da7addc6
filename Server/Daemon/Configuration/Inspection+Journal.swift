import CausewaySinks

extension Inspection {
    /// What does not work on many nodes yet is refused, so that nobody counts on it.
    mutating func inspectJournal(_ journal: Configuration.Journal, _ configuration: Configuration) {
        do throws(SinkFailure) {
            _ = try SecretFile.text(of: journal.connectionFile)
        } catch {
            problems.append(ConfigurationProblem("journal.connectionFile", error.message))
        }
        if configuration.backups != nil {
            problems.append(
                ConfigurationProblem(
                    "backups",
                    "The journal is what is to be backed up: with the tools of PostgreSQL. Leave the section out."))
        }
        for (index, database) in configuration.databases.enumerated()
        where database.carriers != Configuration.Carriers() {
            problems.append(
                ConfigurationProblem(
                    "databases[\(index)]",
                    "Webhooks and sinks do not work on many nodes yet: each would deliver everything. Follow the change feed of one "
                        + "node, and leave them out."))
        }
    }
}
