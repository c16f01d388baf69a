//! Holds (pause) or lowers (duck) what other programs play while a command runs: org.openavfaudio.Focus1, with zbus 5.
//!     cargo add zbus
//!     cargo run -- pause arecord -d 5 memo.wav
use std::{collections::HashMap, env, os::fd::AsRawFd, process, sync::mpsc, thread, time::Duration};
use zbus::{blocking::Connection, zvariant::OwnedFd, zvariant::Value};

const NAME: &str = "org.openavfaudio.Focus1";

/// The other programs hold until the file is dropped, which a crash does too. Without one, the program goes on: nothing is held.
fn acquire(kind: String, reason: &'static str) -> Option<OwnedFd> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(ask(&kind, reason)));
    let answer = told.recv_timeout(Duration::from_secs(3)).unwrap_or_else(|late| Err(zbus::Error::Failure(late.to_string())));
    answer.map_err(|error| eprintln!("focus: the others play on: {error}")).ok()
}

fn ask(kind: &str, reason: &str) -> zbus::Result<OwnedFd> {
    let options = HashMap::from([("reason", Value::from(reason))]);
    let path = "/org/openavfaudio/Focus1";
    let reply = Connection::session()?.call_method(Some(NAME), path, Some(NAME), "Acquire", &(kind, options))?;
    // zbus 5.3 keeps the message for a moment, with a file that children would inherit: one would hold on after a crash.
    for file in reply.data().fds() {
        unsafe { fcntl(file.as_raw_fd(), 2, 1) }; // F_SETFD, FD_CLOEXEC
    }
    let (file, _cookie): (OwnedFd, u32) = reply.body().deserialize()?;
    Ok(file)
}

extern "C" {
    fn fcntl(file: i32, command: i32, ...) -> i32;
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let file = acquire(words[0].clone(), "example");
    let status = process::Command::new(&words[1]).args(&words[2..]).status().expect("the command does not start");
    drop(file);
    process::exit(status.code().unwrap_or(1));
}
