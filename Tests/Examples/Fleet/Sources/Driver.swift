import RealmSwift

/// One vehicle's device: an actor with a Realm of its own, which drives whether or not it is connected.
actor Driver {
    let plate: String
    // Set by the initializer before anybody can use it; a Realm that belongs to an actor needs the actor first.
    private var realm: Realm!

    init(plate: String, configuration: Realm.Configuration) async throws {
        self.plate = plate
        realm = try await Realm(configuration: configuration, actor: self)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Vehicle>(name: "mine") { $0.plate == plate })
        }
        try await realm.asyncWrite {
            realm.create(Vehicle.self, value: ["plate": plate, "place": "depot"], update: .modified)
        }
    }

    func drive(to destination: String, kilometers: Int) async throws {
        guard let vehicle = realm.object(ofType: Vehicle.self, forPrimaryKey: plate) else { return }
        try await realm.asyncWrite {
            vehicle.place = destination
            vehicle.kilometers += kilometers
            vehicle.trips.append(Trip(value: ["destination": destination, "kilometers": kilometers]))
            realm.create(
                EngineReading.self,
                value: ["id": ObjectId.generate(), "plate": plate, "celsius": 80 + Double(kilometers) / 50])
        }
    }

    func loseConnection() {
        realm.syncSession?.suspend()
    }

    func findConnection() {
        realm.syncSession?.resume()
    }

    /// Waits until the server has everything that this vehicle did.
    func report() async throws {
        try await realm.syncSession?.wait(for: .upload)
    }
}
