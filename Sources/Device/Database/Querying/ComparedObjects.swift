/// The objects that a condition compares with, while it is being read. A condition holds no more of them than their keys,
/// which are good in their own file only.
enum ComparedObjects {
    final class Seen {
        var objects: [ObjectBase] = []
    }

    @TaskLocal static var seen: Transferred<Seen>?

    /// What the body reads, and the managed objects that it met.
    static func collecting<Condition>(_ body: () -> Condition) -> (condition: Condition, objects: [ObjectBase]) {
        let seen = Seen()
        let condition = $seen.withValue(Transferred(seen), operation: body)
        return (condition, seen.objects)
    }
}

extension RealmInstance {
    /// Stops the program where a condition names objects of another file: their keys would mean other objects here.
    func checkOrigin(of objects: [ObjectBase]) {
        for object in objects {
            guard object._instance?.coordinator === coordinator else {
                misuse("Object must be from the Realm being queried")
            }
        }
    }
}
