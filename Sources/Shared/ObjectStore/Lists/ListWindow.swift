import CausewayModel

/// Elements of one list that lie one behind the other, to be read without asking the list again.
///
/// Public only so that reading an element inlines into the app down to the load.
@frozen
public struct ListWindow {
    /// The table's count of list changes when the window was made. At any other count it is invalid. 0: there is none.
    public var version: UInt
    /// The position of the first element.
    public var start: Int
    public var count: Int
    public var elements: UnsafeRawPointer

    package init(version: UInt, start: Int, count: Int, elements: UnsafeRawPointer) {
        self.version = version
        self.start = start
        self.count = count
        self.elements = elements
    }

    /// No elements. The address is not null and never read.
    package static var empty: ListWindow {
        ListWindow(version: 0, start: 0, count: 0, elements: UnsafeRawPointer(bitPattern: 16)!)
    }

    /// Where an element lies, if it is among these.
    @inlinable
    @inline(__always)
    public func element(_ position: Int, size: Int) -> UnsafeRawPointer? {
        let offset = position &- start
        guard offset >= 0, offset < count else { return nil }
        return elements + offset &* size
    }
}

/// The elements that a table read last, with their object and column.
struct RecentElements {
    var key = ObjectKey(-1)
    var column = -1
    var size = 0
    var type = PropertyType.int
    var window = ListWindow.empty
}
