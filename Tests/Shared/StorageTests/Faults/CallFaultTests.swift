import CausewaySimulatedDisk
import Testing

/// Every system call of a small life goes wrong once, in every way it can.
@Suite("Faults at every call")
struct CallFaultTests {
    /// Reads of single pages, of an encrypted file, are many and alike.
    private func isWorthwhile(_ call: Int, _ what: String) -> Bool {
        !what.hasPrefix("reading") || call.isMultiple(of: 5) || call < 20
    }

    /// Runs the workload once for each call that it makes, with a fault at that call.
    @discardableResult
    private func everyCall(
        _ fault: FaultPlan.Fault, isEncrypted: Bool, dropsCache: Bool = false
    ) throws -> (failed: Int, wentOn: Int, reopened: Int) {
        let clean = FaultRun(isEncrypted: isEncrypted)
        try clean.run()
        #expect(clean.errors.isEmpty)
        let calls = clean.disk.callCount
        #expect(calls > 100)
        var result = (failed: 0, wentOn: 0, reopened: 0)
        for call in 0..<calls where isWorthwhile(call, clean.notes[call]) {
            var plan = FaultPlan.only(fault, atCall: call)
            plan.seed = UInt64(call)
            let run = FaultRun(isEncrypted: isEncrypted, plan: plan, fault: fault, dropsCache: dropsCache)
            defer {
                result.failed += run.errors.count
                result.wentOn += run.goings
                result.reopened += run.reopenings
            }
            do {
                try run.run()
            } catch {
                Issue.record("\(fault) at call \(call) of \(calls), \(run.notes[call]): \(error)")
                continue
            }
            if run.errors.isEmpty, run.states != clean.states, run.disk.failedSyncs == 0 {
                Issue.record("\(fault) at call \(call), \(run.notes[call]): no error, and another result")
            }
        }
        return result
    }

    @Test("a call that is interrupted changes nothing", arguments: [false, true])
    func interrupted(isEncrypted: Bool) throws {
        #expect(try everyCall(.interrupted, isEncrypted: isEncrypted).failed == 0)
    }

    @Test("a read or write that does less than asked changes nothing", arguments: [false, true])
    func partial(isEncrypted: Bool) throws {
        #expect(try everyCall(.partial, isEncrypted: isEncrypted).failed == 0)
    }

    @Test("a full disk fails one transaction, and the storage goes on", arguments: [false, true])
    func outOfSpace(isEncrypted: Bool) throws {
        let result = try everyCall(.outOfSpace, isEncrypted: isEncrypted)
        #expect(result.wentOn > 5)
    }

    @Test(
        "a disk that fails is told, and reopening brings a promised state back", arguments: [false, true],
        [false, true])
    func failed(isEncrypted: Bool, dropsCache: Bool) throws {
        let result = try everyCall(.failed, isEncrypted: isEncrypted, dropsCache: dropsCache)
        #expect(result.wentOn > 5)
        #expect(result.reopened > 5)
    }
}
