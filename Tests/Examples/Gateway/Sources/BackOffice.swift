import RealmSwift

/// The back office: says how the sensors are read, and sees what the gateway reports.
@MainActor
final class BackOffice {
    let realm: Realm

    init(configuration: Realm.Configuration) async throws {
        realm = try await Realm.open(configuration: configuration, downloadBeforeOpen: .once)
    }

    /// Creates the sensor, or changes it. The count of its readings stays.
    func set(_ name: String, interval: Int, limit: Double) throws {
        try realm.write {
            realm.create(
                Sensor.self,
                value: ["name": name, "interval": interval, "limit": limit, "isInForce": false],
                update: .modified)
        }
    }

    /// How many readings the gateway says that it took.
    var readings: Int { realm.objects(Sensor.self).reduce(0) { $0 + $1.readings.value } }
    /// Whether it reads the sensors as they are set here.
    var isObeyed: Bool { realm.objects(Sensor.self).allSatisfy(\.isInForce) }
}
