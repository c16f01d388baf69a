/// Where the render thread finds a tap's rows; no other thread looks at it.
package struct TapState {
    /// Its first row of the current plan, and of the one before; -1: it has none there.
    var row = -1
    var rowBefore = -1

    @_noLocks @_noAllocation
    package init() {}
}
