import CausewayStoreReplicated
import Foundation

// One database that a call adds or drops. What else has changed in the configuration waits for a reload.

extension Reloading {
    func take(_ change: ReloadDesk.Change) async -> ReloadReport {
        var report = ReloadReport()
        switch change {
        case .add(let name, let text): await add(name, text, &report)
        case .drop(let name, let deletesFiles):
            guard let tenant = tenants[name] else { break }
            await databases?.drop(tenant, deletesFiles: deletesFiles, &report)
            inForce.remove(name)
        case .renew(let name): await renew(name, &report)
        }
        return report
    }

    private func renew(_ name: String, _ report: inout ReloadReport) async {
        let configuration = inForce.configuration
        guard let database = configuration.databases.first(where: { $0.name == name }) else { return }
        if let tenant = tenants[name] {
            guard tenant.node?.record.end != nil else { return }
            await databases?.close(tenant)
        }
        await databases?.add(database, configuration, &report)
    }

    private func add(_ name: String, _ text: String, _ report: inout ReloadReport) async {
        guard tenants[name] == nil else { return report.note("databases.\(name)", .unchanged) }
        do throws(ConfigurationError) {
            let read = try inForce.configuration.adding(text, named: name)
                .resolved(against: URL(filePath: file).deletingLastPathComponent())
            guard let database = read.databases.first(where: { $0.name == name }) else { return }
            guard await databases?.add(database, read, &report) == true else { return }
            inForce.configuration.databasesWithFile.insert(name)
        } catch {
            report.note("databases.\(name)", .refused, "\(error)")
        }
    }
}
