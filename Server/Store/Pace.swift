/// How far work on a snapshot may go before it gives way to others.
package struct Pace {
    /// Asked between pieces of work.
    package let goesOn: () -> Bool
    /// About how many objects one piece of work may go over. Callers with more time allow more.
    package let objectsMax: Int

    package init(objectsMax: Int = .max, goesOn: @escaping () -> Bool) {
        self.objectsMax = objectsMax
        self.goesOn = goesOn
    }

    package static var unhurried: Pace { Pace { true } }

    /// - Throws: `interrupted` when `objects` are too many for one piece, or the time is over.
    package func check(_ objects: Int = 0) throws(StoreFailure) {
        guard objects <= objectsMax, goesOn() else {
            throw StoreFailure(.interrupted, "What was asked for takes longer than it may. Ask with more time.")
        }
    }
}
