import Causeway
import CausewayFlights
import Foundation

/// What one device of the demo can do: an app's code, written against the public API alone.
@MainActor
final class Device {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let name: String
    private let realm: Realm

    init(_ options: DeviceCommand) async throws {
        name = URL(fileURLWithPath: options.file).deletingPathExtension().lastPathComponent
        let token = try String(contentsOfFile: options.token, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let app = App(
            id: options.database,
            configuration: AppConfiguration(
                baseURL: options.url, trustRootsPath: options.authority,
                rootDirectory: URL(fileURLWithPath: options.file).deletingLastPathComponent()))
        let user = try await app.login(credentials: .jwt(token: token))
        var configuration = user.flexibleSyncConfiguration()
        configuration.fileURL = URL(fileURLWithPath: options.file)
        configuration.objectTypes = [
            Airline.self, Airport.self, Plane.self, Flight.self, Remark.self, Ledger.self, Weather.self,
        ]
        realm = try Realm(configuration: configuration)
    }

    /// Does one command and returns what it has to say.
    func perform(_ command: String, _ arguments: [String]) async throws -> String {
        switch command {
        case "import": try importTables(arguments[0])
        case "weather": try importWeather(arguments[0])
        case "subscribe": try await subscribe(arguments[0], to: arguments[1], where: arguments[2])
        case "unsubscribe": try await unsubscribe(arguments[0])
        case "upload": try await upload()
        case "download": try await download()
        case "count": try count(arguments[0], where: arguments[1])
        case "table": try table(rows: Int(arguments[0]) ?? 5)
        case "offline": suspend()
        case "online": resume()
        case "gate": try edit(arguments[0]) { $0.gate = arguments[1] }
        case "delay": try edit(arguments[0]) { $0.departureDelay = Int(arguments[1]) }
        case "remark": try edit(arguments[0]) { self.append(arguments[1], to: $0) }
        case "delete": try delete(arguments[0])
        case "audit": try audit(perTransaction: Int(arguments[0]) ?? 1_000)
        case "entries": "\(realm.object(ofType: Ledger.self, forPrimaryKey: "audit")?.entries.count ?? 0)"
        case "dump": try dump(where: arguments[0], to: arguments[1])
        case "statistics": try statistics()
        default: throw Failure(description: "there is no command '\(command)'")
        }
    }

    private var session: SyncSession {
        get throws {
            guard let session = realm.syncSession else { throw Failure(description: "this Realm does not sync") }
            return session
        }
    }

    // MARK: - Bringing data in

    private func importTables(_ folder: String) throws -> String {
        let tables = try FlightTable(folder: URL(fileURLWithPath: folder))
        let total = tables.objectCount
        try tables.write(to: realm) { written in
            say("progress \(Double(written) / Double(total)) imported \(written) of \(total) objects")
        }
        return "\(total)"
    }

    private func importWeather(_ folder: String) throws -> String {
        let table = try WeatherTable(folder: URL(fileURLWithPath: folder))
        let total = table.readings.rows.count
        try table.write(to: realm) { written in
            say("progress \(Double(written) / Double(total)) sent \(written) of \(total) readings")
        }
        return "\(total)"
    }

    // MARK: - Sync

    private func subscribe(_ name: String, to type: String, where predicate: String) async throws -> String {
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            switch type {
            case "Airline": subscriptions.append(QuerySubscription<Airline>(name: name, where: predicate))
            case "Airport": subscriptions.append(QuerySubscription<Airport>(name: name, where: predicate))
            case "Plane": subscriptions.append(QuerySubscription<Plane>(name: name, where: predicate))
            case "Ledger": subscriptions.append(QuerySubscription<Ledger>(name: name, where: predicate))
            default: subscriptions.append(QuerySubscription<Flight>(name: name, where: predicate))
            }
        }
        realm.refresh()
        return "\(realm.objects(Flight.self).count)"
    }

    private func unsubscribe(_ name: String) async throws -> String {
        let subscriptions = realm.subscriptions
        try await subscriptions.update { subscriptions.remove(named: name) }
        realm.refresh()
        return "\(realm.objects(Flight.self).count)"
    }

    private func upload() async throws -> String {
        let session = try session
        let token = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { progress in
            say("progress \(progress.progressEstimate) uploading")
        }
        defer { token?.invalidate() }
        try await session.wait(for: .upload)
        return "uploaded"
    }

    private func download() async throws -> String {
        try await session.wait(for: .download)
        realm.refresh()
        return "downloaded"
    }

    private func suspend() -> String {
        realm.syncSession?.suspend()
        return "offline"
    }

    private func resume() -> String {
        realm.syncSession?.resume()
        return "online"
    }

    private func statistics() throws -> String {
        let statistics = try session.statistics
        return "\(statistics.bytesSent) \(statistics.bytesReceived)"
    }

    // MARK: - Reading

    private func count(_ type: String, where predicate: String) throws -> String {
        switch type {
        case "Airline": "\(realm.objects(Airline.self).filter(predicate).count)"
        case "Airport": "\(realm.objects(Airport.self).filter(predicate).count)"
        case "Plane": "\(realm.objects(Plane.self).filter(predicate).count)"
        default: "\(realm.objects(Flight.self).filter(predicate).count)"
        }
    }

    private func table(rows: Int) throws -> String {
        let flights = realm.objects(Flight.self).sorted(byKeyPath: "row")
        say("row " + Self.line("row", "flight", "from", "to", "delay", "airline"))
        for flight in flights.prefix(rows) {
            say(
                "row "
                    + Self.line(
                        "\(flight.row)", "\(flight.carrier)\(flight.number)", flight.origin, flight.dest,
                        flight.departureDelay.map(String.init) ?? "-", flight.airline?.name ?? "-"))
        }
        return "\(flights.count)"
    }

    private static func line(_ fields: String...) -> String {
        zip(fields, [7, 8, 5, 5, 6, 0])
            .map { field, width in field.padding(toLength: max(width, field.count), withPad: " ", startingAt: 0) }
            .joined(separator: " ")
    }

    /// Writes every matching flight as a line of text, in a fixed order, so that two devices can be compared.
    private func dump(where predicate: String, to file: String) throws -> String {
        realm.refresh()
        let flights = realm.objects(Flight.self).filter(predicate).sorted(byKeyPath: "row")
        var text = ""
        for flight in flights {
            let remarks = flight.remarks.map { "\($0.author): \($0.text)" }.joined(separator: " | ")
            text += "\(flight.row) \(flight.carrier)\(flight.number) \(flight.origin)-\(flight.dest) "
            text += "delay=\(flight.departureDelay.map(String.init) ?? "-") gate=\(flight.gate ?? "-") "
            text += "audited=\(flight.audited) remarks=[\(remarks)]\n"
        }
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return "\(flights.count)"
    }

    // MARK: - Editing

    private func flight(_ row: String) throws -> Flight {
        guard let key = Int(row), let flight = realm.object(ofType: Flight.self, forPrimaryKey: key) else {
            throw Failure(description: "flight \(row) is not on this device")
        }
        return flight
    }

    private func edit(_ row: String, _ change: (Flight) -> Void) throws -> String {
        let flight = try flight(row)
        try realm.write { change(flight) }
        return "edited"
    }

    private func append(_ text: String, to flight: Flight) {
        let remark = Remark()
        remark.author = name
        remark.text = text
        flight.remarks.append(remark)
    }

    private func delete(_ row: String) throws -> String {
        let flight = try flight(row)
        try realm.write { realm.delete(flight) }
        return "deleted"
    }

    /// Marks every flight as audited, some a transaction, each with one entry in the ledger.
    private func audit(perTransaction: Int) throws -> String {
        let flights = Array(realm.objects(Flight.self).sorted(byKeyPath: "row"))
        var transactions = 0
        for start in stride(from: 0, to: flights.count, by: perTransaction) {
            try realm.write {
                let ledger = realm.create(Ledger.self, value: ["name": "audit"], update: .modified)
                for flight in flights[start..<min(start + perTransaction, flights.count)] { flight.audited = true }
                let entry = Remark()
                entry.author = name
                entry.text = "flights from row \(start)"
                ledger.entries.append(entry)
            }
            transactions += 1
        }
        return "\(transactions) \(flights.count)"
    }
}
