import CausewaySinks

extension Inspection {
    mutating func inspectJournal(_ journal: Configuration.Journal) {
        do throws(SinkFailure) {
            _ = try SecretFile.text(of: journal.connectionFile)
        } catch {
            problems.append(ConfigurationProblem("journal.connectionFile", error.message))
        }
    }
}
