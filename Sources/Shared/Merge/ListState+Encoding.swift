import CausewayModel
package import CausewayOperations

// The byte table is in Operations/ENCODING.md, "State of a list". Positions are written in the order of the list, so
// equal states have equal bytes. The tree needs no ids: a parent is written as a distance, so many places ahead or
// back.

extension ListState: EncodedState {
    /// - Complexity: O(n)
    package func write(to writer: inout ByteWriter) {
        writer.write(varint: UInt64(order.count))
        if order.isEmpty { return }
        var numbers: [Int] = []
        numbers.reserveCapacity(order.count)
        var places = [Int](repeating: 0, count: positions.count)
        var clients = ClientNumbers()
        var idClients: [Int64] = []
        idClients.reserveCapacity(order.count)
        var all: [Int] = []
        all.reserveCapacity(elements.count)
        for number in order {
            let number = Int(number)
            let position = positions[number]
            places[number] = numbers.count
            numbers.append(number)
            idClients.append(clients.number(position.id.client))
            if elements[Int(position.element)].home == number { all.append(Int(position.element)) }
        }
        let living = all.filter { !elements[$0].isRemoved }
        // Numbered in the order in which the reader meets them.
        let valueClients = living.map { clients.number(elements[$0].valueStamp.client) }
        let positionClients = living.map { clients.number(elements[$0].positionStamp.client) }

        writer.write(clients: clients.all)
        writer.write(integers: idClients)
        writer.write(integers: numbers.map { Int64(bitPattern: positions[$0].id.counter) })
        writer.write(
            integers: numbers.map { number in
                let parent = positions[number].parent
                return parent == .none ? 0 : Int64(places[Int(parent)] - places[number])
            })
        writer.write(
            integers: numbers.map { number in
                Int64(places[Int(elements[Int(positions[number].element)].home)] - places[number])
            })
        writer.write(bits: all.map { elements[$0].isRemoved })
        writer.write(
            integers: living.map { Int64(places[Int(elements[$0].position)] - places[Int(elements[$0].home)]) })
        writer.write(column: living.map { elements[$0].value })
        writer.write(integers: living.map { Int64(bitPattern: elements[$0].valueStamp.time) })
        writer.write(integers: valueClients)
        writer.write(integers: living.map { Int64(bitPattern: elements[$0].positionStamp.time) })
        writer.write(integers: positionClients)
    }

    /// - Complexity: O(n), in memory too: ids differ, so each position takes at least one byte of input.
    package init(from reader: inout ByteReader) throws(EncodingError) {
        let total = try reader.readCount(minimumBytesEach: 1)
        guard total < Int(Int32.max) else { throw reader.malformed("a list is too long") }
        if total == 0 { return }
        let clients = try reader.readClients()
        let ids = try ListState.readIDs(&reader, total, clients)
        let parents = try reader.readIntegers(count: total)
        let homes = try reader.readIntegers(count: total)
        try readTree(reader, ids, parents)
        try readElements(&reader, homes, clients)
    }

    /// Links the positions and checks that the order they came in is the order of their tree.
    private mutating func readTree(
        _ reader: ByteReader, _ ids: [ElementID], _ parents: [Int64]
    ) throws(EncodingError) {
        for (place, id) in ids.enumerated() {
            let parent = parents[place] == 0 ? -1 : Int64(place).addingReportingOverflow(parents[place]).partialValue
            guard parent >= -1, parent < Int64(ids.count), parents[place] == 0 || parent >= 0 else {
                throw reader.malformed("a list position has no parent")
            }
            // Left children come before their parent.
            positions.append(Position(id: id, parent: Int32(parent), isLeft: parents[place] > 0, element: .none))
        }
        // From the last to the first, so that each child becomes the first of its siblings.
        for number in positions.indices.reversed() {
            let position = positions[number]
            let next = firstChild(of: position.parent, isLeft: position.isLeft)
            if next != .none, positions[Int(next)].id <= position.id {
                throw reader.malformed("list positions are not in order")
            }
            positions[number].next = next
            // The parent of a left child stands behind it, so its top is known.
            positions[number].top = position.isLeft ? positions[Int(position.parent)].top : Int32(number)
            if position.parent == .none {
                firstAtRoot = Int32(number)
            } else if position.isLeft {
                positions[Int(position.parent)].firstLeft = Int32(number)
            } else {
                positions[Int(position.parent)].firstRight = Int32(number)
            }
        }
        order = PositionOrder(ascending: ids.count)
        guard isOrderOfTree else { throw reader.malformed("a list's tree contradicts its order") }
    }

    private mutating func readElements(
        _ reader: inout ByteReader, _ homes: [Int64], _ clients: [ClientID]
    ) throws(EncodingError) {
        for place in homes.indices where homes[place] == 0 {
            positions[place].element = Int32(elements.count)
            elements.append(
                Element(
                    value: .null, home: Int32(place), position: Int32(place), valueStamp: .zero, positionStamp: .zero))
        }
        for place in homes.indices where homes[place] != 0 {
            let home = Int64(place).addingReportingOverflow(homes[place]).partialValue
            guard homes.indices.contains(Int(home)), homes[Int(home)] == 0 else {
                throw reader.malformed("a list position has no element")
            }
            positions[place].element = positions[Int(home)].element
        }
        let isRemoved = try reader.readBits(count: elements.count)
        let living = isRemoved.indices.filter { !isRemoved[$0] }
        for element in isRemoved.indices { elements[element].isRemoved = isRemoved[element] }
        count = living.count

        let shifts = try reader.readIntegers(count: living.count)
        let values = try reader.readColumn(count: living.count)
        let valueStamps = try ListState.readStamps(&reader, living.count, clients)
        let positionStamps = try ListState.readStamps(&reader, living.count, clients)
        for (index, element) in living.enumerated() {
            let position = Int64(elements[element].home).addingReportingOverflow(shifts[index]).partialValue
            guard positions.indices.contains(Int(position)), positions[Int(position)].element == Int32(element) else {
                throw reader.malformed("a list element shows at another's position")
            }
            elements[element].position = Int32(position)
            elements[element].value = values[index]
            elements[element].valueStamp = valueStamps[index]
            elements[element].positionStamp = positionStamps[index]
        }
        countVisible()
    }
}

// MARK: - Ids and stamps as two columns

extension ListState {
    /// Reads clients, then counters. Different ids take at least one byte each; fewer bytes mean equal ids, for which
    /// no memory is reserved.
    private static func readIDs(
        _ reader: inout ByteReader, _ count: Int, _ clients: [ClientID]
    ) throws(EncodingError) -> [ElementID] {
        let start = reader.offset
        let writers = try readClients(&reader, count, clients)
        let counters = try reader.readIntegers(count: count)
        guard reader.offset - start >= count else { throw reader.malformed("list positions have equal ids") }
        let ids = zip(writers, counters).map { ElementID(client: $0, counter: UInt64(bitPattern: $1)) }
        // Most lists were written from beginning to end. Their ids ascend, which shows without a search that none is
        // there twice.
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) || Set(ids).count == count else {
            throw reader.malformed("list positions have equal ids")
        }
        return ids
    }

    /// Reads times, then clients.
    private static func readStamps(
        _ reader: inout ByteReader, _ count: Int, _ clients: [ClientID]
    ) throws(EncodingError) -> [Stamp] {
        let times = try reader.readIntegers(count: count)
        let writers = try readClients(&reader, count, clients)
        return zip(times, writers).map { Stamp(time: UInt64(bitPattern: $0), client: $1) }
    }

    private static func readClients(
        _ reader: inout ByteReader, _ count: Int, _ clients: [ClientID]
    ) throws(EncodingError) -> [ClientID] {
        let numbers = try reader.readIntegers(count: count)
        guard numbers.allSatisfy({ $0 >= 0 && $0 < Int64(clients.count) }) else {
            throw reader.malformed("a list names a client that it does not list")
        }
        return numbers.map { clients[Int($0)] }
    }
}

/// The clients that a list names, each once.
private struct ClientNumbers {
    var all: [ClientID] = []
    private var numbers: [ClientID: Int64] = [:]
    /// The client asked for last: positions of one client mostly stand together.
    private var last: (client: ClientID, number: Int64)?

    mutating func number(_ client: ClientID) -> Int64 {
        if let last, last.client == client { return last.number }
        let number = numbers[client] ?? Int64(all.count)
        if number == all.count {
            numbers[client] = number
            all.append(client)
        }
        last = (client, number)
        return number
    }
}
