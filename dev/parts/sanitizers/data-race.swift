// A deliberate data race: a relaxed flag does not order the accesses to the variable. See dev/test --lane thread.
import Foundation
import Synchronization

final class Race: @unchecked Sendable {
    var value = 0
    let isWritten = Atomic(false)
}

let race = Race()
Thread {
    race.value = 1
    race.isWritten.store(true, ordering: .relaxed)
}.start()
while !race.isWritten.load(ordering: .relaxed) {}
print(race.value)
