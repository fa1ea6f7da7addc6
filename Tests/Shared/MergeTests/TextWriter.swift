import CausewayMerge
import CausewayModel
import CausewayOperations

/// A device that types: the text it sees, and the operations it makes of what it sees.
struct TextWriter {
    let client: ClientID
    var text = TextState()
    private var counter: UInt64 = 0

    init(_ client: UInt64) {
        self.client = ClientID(client)
    }

    mutating func insert(_ string: String, at index: Int) -> [TextOperation] {
        let id = ElementID(client: client, counter: counter + 1)
        counter += UInt64(string.unicodeScalars.count)
        return [text.insert(string, at: index, id: id)].compactMap { $0 }
    }

    mutating func remove(_ range: Range<Int>) -> [TextOperation] {
        text.remove(range)
    }
}
