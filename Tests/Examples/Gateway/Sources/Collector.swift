import RealmSwift

/// The gateway: reads the sensors whether or not it is connected. Readings wait in its file until the server has them.
@MainActor
final class Collector {
    /// While the file holds so much, no more is read.
    static let bytesMax = 8 << 20

    let realm: Realm
    private let sensors: Results<Sensor>
    private(set) var readings = 0
    private(set) var hoursMissed = 0

    /// When the gateway starts, its file gives back what it does not use.
    init(configuration: Realm.Configuration) async throws {
        var configuration = configuration
        configuration.shouldCompactOnLaunch = { total, used in total - used > 64 << 10 }
        realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: .once)
        sensors = realm.objects(Sensor.self).sorted(byKeyPath: "name")
    }

    func loseConnection() {
        realm.syncSession?.suspend()
    }

    /// Reads all sensors for an hour. It is one transaction, so a power cut leaves whole hours.
    func readHour(from begin: Date) throws {
        guard try realm.statistics().usedBytes < Self.bytesMax else {
            hoursMissed += 1
            return
        }
        try realm.write {
            for sensor in sensors {
                let times = stride(from: 0, to: 3_600, by: max(1, sensor.interval)).map { begin + TimeInterval($0) }
                for time in times {
                    let celsius = measure(sensor.name, at: time)
                    let isAlarm = celsius > sensor.limit
                    realm.create(
                        Reading.self,
                        value: ["sensor": sensor.name, "takenAt": time, "celsius": celsius, "isAlarm": isAlarm])
                }
                sensor.readings += times.count
                readings += times.count
            }
        }
    }

    /// Connects and sends what waits. Progress counts transactions, which are hours here.
    func send() async throws {
        guard let session = realm.syncSession else { return }
        let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) { progress in
            print("   \(progress.transferred) of \(progress.transferrable) hours are sent")
        }
        session.resume()
        try await realm.settle()
        token?.invalidate()
        print("   \(readings) readings are sent, in \(session.statistics.bytesSent) bytes")
        try check(realm.unsyncedChanges.isEmpty, "the server refused none")
    }

    /// Takes in what the back office has set, and tells it so.
    func obey() async throws {
        try await realm.settle()
        try realm.write {
            for sensor in sensors where !sensor.isInForce {
                sensor.isInForce = true
                print("   it reads the \(sensor.name) every \(sensor.interval) s, with alarms above \(sensor.limit)")
            }
        }
        try await realm.settle()
    }
}
