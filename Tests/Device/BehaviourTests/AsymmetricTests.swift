import Causeway
import Foundation
import Testing

/// Makes a Realm count as a synchronised one, which alone may have asymmetric objects. Nothing is sent anywhere: what
/// these behaviours say about the device holds before any connection.
private struct Unconnected: SyncSettings {
    func attach(_ coordinator: FileCoordinator, for configuration: Realm.Configuration) throws {}

    func isEqual(to other: any SyncSettings) -> Bool { other is Unconnected }
}

private func unconnectedRealm() throws -> Realm {
    var configuration = memoryConfiguration([WeatherSensor.self, WeatherStation.self, Address.self, DogToy.self])
    configuration.syncSettings = Unconnected()
    return try Realm(configuration: configuration)
}

@Suite("One-way objects")
struct AsymmetricTests {
    @Test("S135 an asymmetric class is defined like any other, and belongs to synchronised Realms only")
    func define() throws {
        _ = try unconnectedRealm()
        let sensor = WeatherSensor(value: ["deviceId": "WX1278UIT", "windSpeed": 4])
        #expect(sensor.deviceId == "WX1278UIT")
        #expect(sensor.windSpeed == 4)
        #expect(sensor.temperatureInFahrenheit == 0)
        #expect {
            _ = try memoryRealm([WeatherSensor.self])
        } throws: { error in
            error.localizedDescription.contains("'WeatherSensor' is not allowed in a local Realm")
        }
    }

    @Test("S136 an asymmetric object may hold embedded objects, lists of them, and links")
    func links() throws {
        let realm = try unconnectedRealm()
        try realm.write {
            realm.create(
                WeatherStation.self,
                value: [
                    "address": ["city": "Los Angeles"], "formerAddresses": [["city": "New York"], ["city": "Boston"]],
                    "keeper": ["name": "Tennis ball"], "toys": [["name": "Bone"]],
                ])
        }
        // What it links to are objects as others are.
        #expect(Set(realm.objects(DogToy.self).map(\.name)) == ["Tennis ball", "Bone"])
    }

    @Test("S137 nothing can link to an asymmetric object")
    func noLinks() {
        // The compiler refuses the property: its type is not one that @Persisted or a list accepts.
        let sensor: Any.Type = WeatherSensor.self
        let address: Any.Type = Address.self
        #expect(!(sensor is any _Persistable.Type))
        #expect(!(sensor is any RealmCollectionValue.Type))
        #expect(address is any _Persistable.Type)
    }

    @Test("S138 an asymmetric object cannot be added, deleted or queried")
    func notAvailable() {
        // `add`, `objects` and `object(ofType:forPrimaryKey:)` ask for an Object, and no collection can hold another
        // class: the compiler refuses the call.
        let sensor: Any.Type = WeatherSensor.self
        #expect(!(sensor is Object.Type))
        #expect(sensor is ObjectBase.Type)
    }

    @Test("S139 an asymmetric object is created and not returned")
    func createOnly() throws {
        let realm = try unconnectedRealm()
        let made: Void = try realm.write {
            realm.create(
                WeatherSensor.self,
                value: [
                    "_id": ObjectId.generate(), "deviceId": "WX1278UIT", "temperatureInFahrenheit": 66.7,
                    "barometricPressure": 29.65, "windSpeed": 2,
                ])
        }
        #expect(made == ())
    }

    @Test("an asymmetric object is created in a write transaction only")
    func needsTransaction() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try unconnectedRealm().create(WeatherSensor.self, value: ["deviceId": "WX1278UIT"])
        }
        #expect(lastWords(result).contains("Can only add, remove, or create objects in a Realm in a write transaction"))
    }
}
