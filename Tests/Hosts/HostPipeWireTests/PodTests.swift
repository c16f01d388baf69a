import CPipeWireShims
import Testing

/// PODs as a hostile program writes them, byte by byte.
@Suite struct PodTests {
    // MARK: Arrays

    @Test func array_ofTheRightElements_isCopied() {
        #expect(ints(in: array(elementSize: 4, body: words(1, 2, 3))) == [1, 2, 3])
    }

    @Test func array_thatIsLongerThanTheRoomForIt_isCutOff() {
        #expect(ints(in: array(elementSize: 4, body: words(1, 2, 3, 4, 5, 6))) == [1, 2, 3, 4])
    }

    /// One element of 2,000 bytes was copied into a room for fewer.
    @Test(arguments: [0, 1, 3, 5, 8, 2000, UInt32.max])
    func array_whoseElementsHaveAnotherSize_isEmpty(size: UInt32) {
        #expect(ints(in: array(elementSize: size, body: [UInt8](repeating: 0x41, count: 2000))) == [])
    }

    @Test(arguments: [OAV_POD_FLOAT, OAV_POD_ID, OAV_POD_STRING])
    func array_whoseElementsHaveAnotherType_isEmpty(type: oav_pod_type) {
        #expect(ints(in: array(elementSize: 4, type: type, body: words(1, 2))) == [])
    }

    @Test func array_withHalfAnElementAtItsEnd_hasTheWholeOnes() {
        #expect(ints(in: array(elementSize: 4, body: words(1) + [2, 0])) == [1])
    }

    @Test(arguments: 0..<8) func array_thatEndsInItsHeader_isEmpty(size: Int) {
        #expect(ints(in: pod(OAV_POD_ARRAY, [UInt8](repeating: 4, count: size))) == [])
    }

    @Test func array_thatIsOfAnotherType_isEmpty() {
        #expect(ints(in: pod(OAV_POD_STRUCT, words(4, OAV_POD_INT.rawValue, 1))) == [])
        #expect(ints(in: pod(OAV_POD_INT, words(4, OAV_POD_INT.rawValue, 1))) == [])
    }

    // MARK: Sizes

    @Test(arguments: [5, 12, 1000, UInt32.max - 8, UInt32.max])
    func pod_thatClaimsMoreThanThereIs_isNone(size: UInt32) {
        let bytes = words(size, OAV_POD_INT.rawValue, 7)
        #expect(read(bytes) { $0.body == nil && int(in: $0) == nil })
    }

    @Test(arguments: 0..<8) func pod_shorterThanItsHeader_isNone(size: Int) {
        #expect(read([UInt8](repeating: 0, count: size)) { $0.body == nil })
    }

    @Test(arguments: [OAV_POD_INT, OAV_POD_ID, OAV_POD_BOOL], 0..<4)
    func number_thatIsTooShort_isNone(type: oav_pod_type, size: Int) {
        let (isInt, isID, isBool) = read(pod(type, [UInt8](repeating: 1, count: size))) { pod in
            var (int, id, bool) = (Int32(), UInt32(), false)
            return (oav_pod_get_int(pod, &int), oav_pod_get_id(pod, &id), oav_pod_get_bool(pod, &bool))
        }
        #expect(!isInt && !isID && !isBool)
    }

    @Test func numbers_areReadAsTheirOwnTypeOnly() {
        #expect(read(pod(OAV_POD_INT, words(7))) { int(in: $0) } == 7)
        #expect(read(pod(OAV_POD_ID, words(7))) { int(in: $0) } == nil)
        #expect(read(pod(OAV_POD_STRING, words(7))) { int(in: $0) } == nil)
    }

    // MARK: Strings

    @Test func string_withoutAnEnd_isNone() {
        #expect(text(in: pod(OAV_POD_STRING, Array("speaker".utf8))) == nil)
        #expect(text(in: pod(OAV_POD_STRING, [])) == nil)
        #expect(text(in: pod(OAV_POD_STRING, Array("speaker".utf8) + [0])) == "speaker")
    }

    // MARK: Structs

    @Test func structure_endsAtAnItemThatDoesNotFit() {
        let good = pod(OAV_POD_INT, words(1, 0))
        for bad in [words(UInt32.max, OAV_POD_INT.rawValue), words(100, OAV_POD_INT.rawValue, 0), words(4)] {
            #expect(items(in: pod(OAV_POD_STRUCT, good + bad + good)).first == 1)
            #expect(items(in: pod(OAV_POD_STRUCT, good + bad)) == [1])
        }
    }

    @Test func structure_inAStruct_endsWithTheOuterOne() {
        let inner = words(1000, OAV_POD_STRUCT.rawValue) + pod(OAV_POD_INT, words(1, 0))
        let isEmpty = read(pod(OAV_POD_STRUCT, inner)) { pod in
            var (structure, item) = (pod, oav_pod())
            return !oav_pod_take(&structure, &item)
        }
        #expect(isEmpty)
    }

    @Test func structure_whoseLastItemIsNotFilledUp_isRead() {
        #expect(items(in: pod(OAV_POD_STRUCT, pod(OAV_POD_INT, words(1, 0)) + pod(OAV_POD_INT, words(2)))) == [1, 2])
    }

    @Test func anythingButAStruct_hasNoItems() {
        #expect(items(in: pod(OAV_POD_OBJECT, pod(OAV_POD_INT, words(1, 0)))) == [])
    }

    // MARK: Objects and choices

    @Test func property_isFoundByItsKey() {
        let first = words(1, 0) + pod(OAV_POD_INT, words(11, 0))
        let object = object(properties: first, words(2, 0) + pod(OAV_POD_INT, words(12)))
        #expect(property(2, of: object) == 12)
        #expect(property(3, of: object) == nil)
    }

    @Test(arguments: [100, 0x7FFF_FFF0, UInt32.max])
    func property_behindOneThatClaimsTooMuch_isNone(size: UInt32) {
        let lie = words(1, 0) + words(size, OAV_POD_INT.rawValue, 1, 0)
        let object = object(properties: lie, words(2, 0) + pod(OAV_POD_INT, words(12)))
        #expect(property(1, of: object) == nil)
        #expect(property(2, of: object) == nil)
    }

    @Test func property_ofWhatIsNoObject_isNone() {
        let body = words(0x4_0009, 0, 2, 0) + pod(OAV_POD_INT, words(12))
        #expect(property(2, of: pod(OAV_POD_STRUCT, body)) == nil)
        #expect(property(2, of: pod(OAV_POD_OBJECT, words(0x4_0009))) == nil)
        #expect(property(2, of: pod(OAV_POD_OBJECT, [])) == nil)
    }

    @Test func choiceWithoutAlternatives_isItsValue() {
        let choice = pod(OAV_POD_CHOICE, words(0, 0) + pod(OAV_POD_INT, words(12)))
        #expect(property(2, of: object(properties: words(2, 0) + choice)) == 12)
    }

    @Test(arguments: [5, 100, UInt32.max]) func choice_whoseValueIsLongerThanIt_isNone(size: UInt32) {
        let choice = pod(OAV_POD_CHOICE, words(0, 0, size, OAV_POD_INT.rawValue, 12))
        #expect(property(2, of: object(properties: words(2, 0) + choice)) == nil)
    }

    @Test(arguments: 0..<16) func choice_thatEndsInItsHeader_isNone(size: Int) {
        let choice = pod(OAV_POD_CHOICE, [UInt8](repeating: 0, count: size))
        #expect(property(2, of: object(properties: words(2, 0) + choice)) == nil)
    }

    @Test func choiceOfARange_isNone() {
        let choice = pod(OAV_POD_CHOICE, words(1, 0) + pod(OAV_POD_INT, words(12)))
        #expect(property(2, of: object(properties: words(2, 0) + choice)) == nil)
    }

    // MARK: Writing

    private func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    }

    private func pod(_ type: oav_pod_type, _ body: [UInt8]) -> [UInt8] {
        words(UInt32(body.count), type.rawValue) + body
    }

    private func array(elementSize: UInt32, type: oav_pod_type = OAV_POD_INT, body: [UInt8]) -> [UInt8] {
        pod(OAV_POD_ARRAY, words(elementSize, type.rawValue) + body)
    }

    private func object(properties: [UInt8]...) -> [UInt8] {
        pod(OAV_POD_OBJECT, words(0x4_0009, 0) + properties.flatMap { $0 })
    }

    // MARK: Reading

    /// From memory that ends with these bytes.
    private func read<R>(_ bytes: [UInt8], _ body: (oav_pod) -> R) -> R {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        return body(oav_pod_in(copy.baseAddress, bytes.count))
    }

    /// Into a room for 4, between two that stay as they are.
    private func ints(in bytes: [UInt8]) -> [Int32] {
        var room = [Int32](repeating: -1, count: 6)
        let count = room.withUnsafeMutableBufferPointer { room in
            read(bytes) { oav_pod_copy_array($0, OAV_POD_INT, room.baseAddress! + 1, 4, 4) }
        }
        #expect(room.first == -1 && room.last == -1)
        return Array(room.dropFirst().prefix(Int(count)))
    }

    private func int(in pod: oav_pod) -> Int32? {
        var value: Int32 = 0
        return oav_pod_get_int(pod, &value) ? value : nil
    }

    private func text(in bytes: [UInt8]) -> String? {
        read(bytes) { oav_pod_get_string($0).map { String(cString: $0) } }
    }

    private func items(in bytes: [UInt8]) -> [Int32?] {
        read(bytes) { pod in
            var (structure, item, found) = (pod, oav_pod(), [Int32?]())
            while oav_pod_take(&structure, &item) { found.append(int(in: item)) }
            return found
        }
    }

    private func property(_ key: UInt32, of bytes: [UInt8]) -> Int32? {
        read(bytes) { int(in: oav_pod_property($0, key)) }
    }
}
