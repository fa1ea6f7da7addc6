import Foundation

/// What each job is doing, to be told when the process dies of it: a trap leaves no other word.
enum Trace {
    private static let jobsMax = 64
    private static let numbersPerJob = 4
    /// For each job: whether it runs, seed, moment, image. Read by a signal handler, so plain memory that stays.
    ///
    /// nonisolated(unsafe): each job writes its own numbers, and a torn one costs a wrong number in a crash report.
    private nonisolated(unsafe) static let numbers = {
        let numbers = UnsafeMutablePointer<Int>.allocate(capacity: jobsMax * numbersPerJob)
        numbers.initialize(repeating: 0, count: jobsMax * numbersPerJob)
        return numbers
    }()

    static func begin(job: Int) {
        guard job < jobsMax else { return }
        numbers[job * numbersPerJob] = 1
    }

    static func end(job: Int) {
        guard job < jobsMax else { return }
        numbers[job * numbersPerJob] = 0
    }

    static func note(job: Int, seed: UInt64, moment: Int, image: Int) {
        guard job < jobsMax else { return }
        let own = numbers + job * numbersPerJob
        own[1] = Int(bitPattern: UInt(seed))
        own[2] = moment
        own[3] = image
    }

    /// From now on a process that traps says first what each job was doing.
    static func tellOnTrap() {
        _ = numbers[0]
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            signal(number) { number in
                Trace.tell()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// From now on a process that hangs says what each job was doing, and ends.
    static func tellOnHang(seconds: UInt32) {
        Thread.detachNewThread {
            var before: [Int] = []
            while true {
                sleep(seconds)
                let now = Array(UnsafeBufferPointer(start: numbers, count: jobsMax * numbersPerJob))
                let isHanging = stride(from: 0, to: now.count, by: numbersPerJob).contains { job in
                    now[job] == 1
                        && before.dropFirst(job).prefix(numbersPerJob).elementsEqual(now[job..<job + numbersPerJob])
                }
                if isHanging {
                    write("one of these hangs:\n")
                    tell()
                    exit(EXIT_FAILURE)
                }
                before = now
            }
        }
    }

    /// Only what a signal handler may do: no memory is taken.
    private static func tell() {
        for job in 0..<jobsMax where numbers[job * numbersPerJob] == 1 {
            let own = numbers + job * numbersPerJob
            write("died at: causeway-crash --seed ")
            write(UInt(bitPattern: own[1]))
            if own[2] < 0 {
                write(" --workload-only")
            } else {
                write(" --moment ")
                write(UInt(own[2]))
                write(" --image ")
                write(UInt(own[3]))
            }
            write("\n")
        }
    }

    private static func write(_ text: StaticString) {
        _ = Foundation.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func write(_ number: UInt) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number
            var place = 20
            repeat {
                place -= 1
                digits[place] = UInt8(48 + rest % 10)
                rest /= 10
            } while rest > 0
            _ = Foundation.write(STDERR_FILENO, digits.baseAddress.map { $0 + place }, 20 - place)
        }
    }
}
