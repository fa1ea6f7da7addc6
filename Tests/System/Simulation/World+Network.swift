import CausewaySeeds
import CausewaySync
import CausewayWire

// The network between devices and server: every call takes its own time, so that lanes overtake each other.

extension World {
    /// What becomes of one message.
    private enum Fate {
        case arrives, isLost, isCut, isDoubled
    }

    private func fate() -> Fate {
        guard happens(percent: plan.lossPercent) else { return .arrives }
        return random.one(of: [.isLost, .isCut, .isDoubled])
    }

    func latency() -> UInt64 {
        if isCalm { return UInt64(1 + random.below(3)) }
        let most = plan.latencyMax * (random.happens(percent: 3) ? 5 : 1)
        return UInt64(1 + random.below(most))
    }

    /// Sends a request; `answered` hears what came of it, unless the device hung up before.
    func call<Answer: WireMessage>(
        _ route: Route, _ request: some WireMessage, of device: DeviceProcess, over connection: Connection,
        _ answered: @escaping (Result<Answer, TransportFailure>) throws -> Void
    ) {
        let exchange = Exchange(nextNumber(), over: connection) { result in
            switch result {
            case .success(let answer): try answered(Self.read(answer))
            case .failure(let failure): try answered(.failure(failure))
            }
        }
        let bytes = WireCodec.encode(request)
        let number = device.number
        let isTokenValid = device.isTokenValid
        let server = device.server
        after(device.limits.answerMilliseconds) { try exchange.end(.failure(.timeout("No answer came."))) }
        switch fate() {
        case .arrives: break
        case .isLost:
            story.note("the \(route) of device \(number) is lost")
            return fail(exchange)
        case .isCut:
            story.note("the \(route) of device \(number) is cut")
            after(latency()) { [self] in
                try server.receiveCut(route, Array(bytes.prefix(random.below(bytes.count))))
            }
            return fail(exchange)
        case .isDoubled:
            story.note("the \(route) of device \(number) will arrive twice")
            // Nobody waits for the second answer.
            let echo = Exchange(nextNumber(), over: Connection()) { _ in }
            after(latency() * 3) {
                try server.receive(route, bytes, isTokenValid: isTokenValid, echo)
            }
        }
        after(latency()) { [self] in
            guard server.isUp else { return fail(exchange) }
            try server.receive(route, bytes, isTokenValid: device.isTokenValid, exchange)
        }
    }

    /// The device hears of it soon, or only when it has waited too long.
    func fail(_ exchange: Exchange) {
        guard !happens(percent: 30) else { return }
        after(latency()) { try exchange.end(.failure(.unreachable("The connection was reset."))) }
    }

    /// Brings an answer back, if the network lets it through.
    func answer(_ answer: Exchange.Answer, to exchange: Exchange) {
        switch fate() {
        case .arrives, .isDoubled:
            after(latency()) { try exchange.end(.success(answer)) }
        case .isLost:
            story.note("an answer is lost")
            fail(exchange)
        case .isCut:
            story.note("an answer is cut")
            var cut = answer
            cut.bytes = Array(answer.bytes.prefix(random.below(answer.bytes.count)))
            after(latency()) { [cut] in try exchange.end(.success(cut)) }
        }
    }

    private static func read<Answer: WireMessage>(_ answer: Exchange.Answer) -> Result<Answer, TransportFailure> {
        do throws(SyncFailure) {
            if answer.isRefusal {
                return .failure(.refused(try WireCodec.decode(SyncFailure.self, body: answer.bytes)))
            }
            return .success(try WireCodec.decode(Answer.self, body: answer.bytes))
        } catch {
            return .failure(.unintelligible(error.message))
        }
    }
}
