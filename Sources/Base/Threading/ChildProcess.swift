#if os(Linux)
    /// Starts other programs.
    package enum ChildProcess {
        package struct Failure: Error {
            /// `errno`'s number.
            package let code: Int32
            package var reason: String { String(cString: strerror(code)) }
        }

        /// What the program reads and writes.
        package enum Streams {
            /// What this process has, with every descriptor that it does not keep to itself.
            case inherited
            /// Nothing, and it has no other descriptor of this process.
            case none
            /// These two, and no other descriptor of this process; what it writes to its standard error is dropped.
            case descriptors(input: Int32, output: Int32)
        }

        /// Starts a program.
        ///
        /// Any thread. The program gets no signal mask and no handler of this process.
        ///
        /// - Parameter words: the program, looked up in PATH, and its arguments. No shell reads them.
        /// - Returns: its process id, which the caller waits for.
        package static func start(_ words: [String], streams: Streams) throws(Failure) -> pid_t {
            var attributes = posix_spawnattr_t()
            var actions = posix_spawn_file_actions_t()
            posix_spawnattr_init(&attributes)
            posix_spawn_file_actions_init(&actions)
            defer {
                posix_spawnattr_destroy(&attributes)
                posix_spawn_file_actions_destroy(&actions)
            }
            var (none, all) = (sigset_t(), sigset_t())
            sigemptyset(&none)
            sigfillset(&all)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setsigdefault(&attributes, &all)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
            switch streams {
            case .inherited: break
            case .none:
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0)
                posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
                posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
            case .descriptors(let input, let output):
                posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
                posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
            }
            if case .inherited = streams {} else { _ = closeFrom?(&actions, STDERR_FILENO + 1) }
            let arguments = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var child: pid_t = 0
            let error = posix_spawnp(&child, words[0], &actions, &attributes, arguments, environ)
            guard error == 0 else { throw Failure(code: error) }
            return child
        }

        /// `posix_spawn_file_actions_addclosefrom_np`, which glibc has since 2.34 and which its headers hide from Swift.
        private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
            unsafeBitCast(
                $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
        }

        /// Waits for its end.
        ///
        /// - Returns: the status that `waitpid` gives.
        @discardableResult package static func wait(for child: pid_t) -> Int32 {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
            return status
        }
    }
#endif
