import Testing

@testable import CausewayStorage

/// Pages in memory, which commits can be made into, and an account of those that are live.
final class MemoryPages: PageOutput {
    struct Place: Hashable, CustomStringConvertible {
        var page: UInt32
        var birth: UInt64
        var kind: PageKind

        var description: String { "\(kind) \(page) of \(birth)" }
    }

    static let pageLimit: UInt32 = 1 << 20

    let memory: ReservedMemory
    let space: PageSpace
    private(set) var birth: UInt64 = 0
    private(set) var live: Set<Place> = []
    /// What the newest commit made and freed.
    private(set) var made = 0
    private(set) var freed = 0
    private(set) var mistakes: [String] = []
    private var nextPage: UInt32 = 4
    private var idle: [UnsafeMutableRawPointer] = []

    init() throws {
        memory = try ReservedMemory(byteCount: Int(Self.pageLimit) << Pages.sizeShift, path: "memory")
        space = try PageSpace(base: memory.base, pageLimit: Self.pageLimit, path: "memory", owner: memory)
    }

    deinit {
        for page in idle { page.deallocate() }
    }

    func begin() {
        birth += 1
        made = 0
        freed = 0
    }

    func makePage() -> UnsafeMutableRawPointer {
        let page = idle.popLast() ?? .allocate(byteCount: Pages.sizeBytes, alignment: 16)
        page.initializeMemory(as: UInt8.self, repeating: 0, count: Pages.sizeBytes)
        return page
    }

    func finish(
        _ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32
    ) throws(StorageError) -> PagePointer {
        idle.append(page)
        return add(UnsafeRawBufferPointer(start: page, count: Pages.sizeBytes), kind, level, extent)
    }

    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer {
        add(bytes, .run, 0, UInt32(bytes.count))
    }

    private func add(
        _ bytes: UnsafeRawBufferPointer, _ kind: PageKind, _ level: UInt8, _ extent: UInt32
    ) -> PagePointer {
        var pointer = PagePointer(page: nextPage, extent: extent, birth: birth, level: level, check: 0, checkHigh: 0)
        nextPage += UInt32(pointer.pageCount(kind))
        precondition(nextPage <= Self.pageLimit, "a test makes fewer pages")
        let place = memory.base + Int(pointer.page) << Pages.sizeShift
        if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
        pointer.check = PageSpace.checksum(place, pointer, kind) ?? 0
        live.insert(Place(page: pointer.page, birth: birth, kind: kind))
        made += 1
        return pointer
    }

    func free(_ pointer: PagePointer, kind: PageKind) {
        let place = Place(page: pointer.page, birth: pointer.birth, kind: kind)
        if live.remove(place) == nil { mistakes.append("freed \(place), which is not live") }
        if pointer.birth == birth { mistakes.append("freed \(place), which this commit made") }
        freed += 1
    }

    /// Expects that exactly what a root reaches is live, and that the tree keeps all rules.
    func check(_ root: PagePointer, _ hint: String) {
        var reached: Set<Place> = []
        var problems = mistakes
        func reach(_ pointer: PagePointer, _ kind: PageKind) {
            let place = Place(page: pointer.page, birth: pointer.birth, kind: kind)
            if !reached.insert(place).inserted { problems.append("\(place) is reached twice") }
        }
        TreeReader(space: space, root: root).walk { visit in
            switch visit {
            case .node(let pointer, _): reach(pointer, .tree)
            case .keyRun(let pointer, _), .valueRun(let pointer, _, _): reach(pointer, .run)
            case .unreadable(let pointer, let kind, _): problems.append("\(kind) \(pointer.page) is unreadable")
            case .contradiction(let pointer, let what): problems.append("page \(pointer.page): \(what.rawValue)")
            }
            return true
        }
        problems += live.subtracting(reached).map { "\($0) leaked" }
        problems += reached.subtracting(live).map { "\($0) is reached and was freed" }
        #expect(problems.isEmpty, "\(hint): \(problems.prefix(5))")
    }
}
