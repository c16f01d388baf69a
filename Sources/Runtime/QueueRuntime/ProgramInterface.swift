package import QueueCore

/// The one queue (QueueMachine.swift), for the command line.
package typealias QueueMachine = QueueCore.QueueMachine
package typealias QueueItemID = QueueCore.QueueItemID
package typealias QueueSeek = QueueCore.QueueSeek
