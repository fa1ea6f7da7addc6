import CausewayModel
import CausewayObjectStore
import CausewayStore

// Rules 13 and 14: the order of arrival, and the positions of those who carry data on.

extension RecordCheck {
    func checkArrivals() {
        let (arrivals, arrived) = (transaction.tree(Layout.arrivals), transaction.tree(Layout.arrived))
        let newest = Arrivals.newest(in: transaction)
        arrivals.scan { key, value in
            guard key.count == 8, let arrival = OneWayArrival(key, value) else {
                report.note("An entry of the tree '\(Layout.arrivals)' cannot be read.")
                return true
            }
            let row = arrival.row
            checkOneWay(row.classNumber, Layout.arrivals)
            if arrival.sequence > newest ?? 0 {
                report.note(
                    newest.map { "Arrival \(arrival.sequence) is behind the newest one, \($0)." }
                        ?? "Arrival \(arrival.sequence) is kept, and the order of arrival is not.")
            }
            if arrived.get(Layout.row(row.classNumber, row.key)).map({ $0.elementsEqual(key) }) != true {
                report.note("Arrival \(arrival.sequence) is not noted at its object, row \(row.key.rawValue).")
            }
            return true
        }
        arrived.scan { key, value in
            guard key.count == 12, value.count == 8, let sequence: UInt64 = Layout.number(value) else {
                report.note("An entry of the tree '\(Layout.arrived)' cannot be read.")
                return true
            }
            if arrivals.get(Layout.bytes(sequence)) == nil {
                report.note("An object is noted as arrival \(sequence), which is missing.")
            }
            return true
        }
    }

    private func checkOneWay(_ classNumber: Int, _ tree: String) {
        guard let checked = classes[classNumber] else {
            return report.note("The tree '\(tree)' names class number \(classNumber), which no class has.")
        }
        if checked.table.schema.kind != .asymmetric {
            report.note("The tree '\(tree)' names class '\(checked.name)', which is no one-way class.")
        }
    }

    /// What a position says is its reader's. All are texts under a name.
    func checkPositions() {
        transaction.tree(Layout.positions).scan { key, value in
            guard let name = String(validating: key, as: UTF8.self), !name.isEmpty else {
                report.note("The name of a position in the tree '\(Layout.positions)' cannot be read.")
                return true
            }
            if value.isEmpty || String(validating: value, as: UTF8.self) == nil {
                report.note("The position of '\(name.prefix(80))' cannot be read.")
            }
            return true
        }
    }
}
