import RealmSwift

/// The screen in the depot: all vehicles, on the main actor, live.
@MainActor
final class Depot {
    private let realm: Realm
    private let vehicles: Results<Vehicle>
    private var token: NotificationToken?
    private(set) var lines: [String: String] = [:]

    init(configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration)
        vehicles = try await realm.objects(Vehicle.self).subscribe(name: "all")
        token = vehicles.observe { [weak self] change in
            switch change {
            case .initial(let vehicles): self?.show(Array(vehicles))
            case .update(let vehicles, _, let insertions, let modifications):
                self?.show((insertions + modifications).map { vehicles[$0] })
            case .error(let error): print("   depot: \(error)")
            }
        }
    }

    private func show(_ changed: [Vehicle]) {
        for vehicle in changed {
            let line =
                "\(vehicle.plate) is in \(vehicle.place) after \(vehicle.kilometers) km, \(vehicle.trips.count) trips"
            if lines.updateValue(line, forKey: vehicle.plate) != line { print("   depot: \(line)") }
        }
    }

    var kilometers: Int { vehicles.sum(of: \.kilometers) }

    /// Waits until the screen shows so many kilometers.
    func wait(forKilometers kilometers: Int) async throws {
        for _ in 0..<600 where self.kilometers < kilometers {
            try await Task.sleep(for: .milliseconds(100))
        }
        guard self.kilometers == kilometers else {
            throw Missing(description: "the depot shows \(self.kilometers) km, and \(kilometers) were driven")
        }
    }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }
}
