import CausewaySeeds
import CausewayWire

/// The bytes of one download on their way, in order, in pieces of any size. It breaks inside a frame as easily as
/// between two.
final class DownloadStream {
    private unowned let world: World
    private let connection: Connection
    /// It holds the stream, and would never end if the stream held it.
    private unowned let device: DeviceProcess
    private var underWay: [UInt8] = []
    private var reader = FrameReader()
    private var isMoving = false
    /// The server knows of it.
    private var isBegun = false
    /// The server has said its last word.
    private var isEnded = false
    /// What was sent before arrives, and nothing more.
    private var isEnding = false
    /// No more bytes arrive, whatever is sent.
    private(set) var isBroken = false
    private let heard: (Event) throws -> Void

    enum Event {
        case message(DownloadMessage, bytes: Int)
        case closed
        case broken(String)
    }

    init(
        _ world: World, _ device: DeviceProcess, _ connection: Connection, _ heard: @escaping (Event) throws -> Void
    ) {
        self.world = world
        self.device = device
        self.connection = connection
        self.heard = heard
    }

    /// Whether the server has found out that nobody listens any more.
    var isNoticedGone: Bool { (isBroken || !connection.isOpen) && world.happens(percent: 40, evenWhenCalm: true) }

    /// Whether it stands, and everything that was sent has arrived.
    var isIdle: Bool { isBegun && !isBroken && connection.isOpen && underWay.isEmpty && !isMoving }

    func begin() { isBegun = true }

    func send(_ bytes: [UInt8]) {
        guard !isBroken, !isEnding, connection.isOpen else { return }
        underWay += bytes
        move()
    }

    func end() {
        isEnded = true
        move()
    }

    /// The network will break behind what has been sent.
    func breakBehind() {
        isEnding = true
        move()
    }

    /// The other end is gone; what is under way is lost.
    func breakOff() {
        guard !isBroken else { return }
        isBroken = true
        underWay = []
        // A device hears of it soon, or finds out by the silence.
        guard !world.happens(percent: 30) else { return }
        world.after(world.latency()) { [self] in try tell(.broken("The stream was reset.")) }
    }

    private func move() {
        guard !isMoving, !isBroken else { return }
        isMoving = true
        world.after(world.latency()) { [self] in
            isMoving = false
            try arrive()
        }
    }

    private func arrive() throws {
        guard !isBroken, connection.isOpen else { return }
        var count = underWay.count
        if !world.isCalm, count > 1, world.random.happens(percent: 50) { count = 1 + world.random.below(count) }
        let cuts = count > 0 && world.happens(percent: world.plan.lossPercent)
        if cuts { count = world.random.below(count) }
        reader.append(underWay.prefix(count))
        underWay.removeFirst(count)
        while connection.isOpen, let message = try reader.next() {
            try tell(
                .message(try WireCodec.decode(DownloadMessage.self, from: message.payload), bytes: message.wireBytes))
        }
        if cuts {
            world.story.note("the stream of device \(device.number) is cut, \(reader.heldBytes) bytes into a frame")
            return breakOff()
        }
        if !underWay.isEmpty { return move() }
        if isEnding {
            world.story.note("the stream of device \(device.number) is cut behind a part")
            return breakOff()
        }
        if isEnded {
            isBroken = true
            try tell(.closed)
        }
    }

    private func tell(_ event: Event) throws {
        if connection.isOpen { try heard(event) }
    }
}
