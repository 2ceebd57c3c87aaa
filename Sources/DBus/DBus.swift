// SPDX-License-Identifier: MIT

// D-Bus for Swift, on libdbus and one event loop.
//
// Layers: `Message`, `Reader`, `Writer` and `DBusValue` carry data; `Connection` calls, sends and
// routes; `ObjectTree` and `InterfaceTable` publish objects. This is the only module that sees C.
//
// Invariants
//   - Nothing reaches libdbus unchecked: it aborts the process on an invalid name, path, signature
//     or text. Names are `DBusTypes` values, texts lose U+0000 in `Writer`, and a `Value` is
//     checked before it is written.
//   - Every call made with `Connection.call` ends exactly once, in a reply, an error, a time-out or
//     a lost connection, unless it is cancelled. Every call that arrives at an `ObjectTree` gets
//     exactly one answer, unless its sender wants none.
//
// Ownership: a `Connection` is private to its owner and is closed when it goes. Handles
// (`MatchHandle`, `NameWatch`) end what they stand for when they go. Pointers that libdbus is given
// are balanced by the free functions it calls.
//
// Re-entrancy: handlers run inside a dispatch from the loop, one at a time. A completion is never
// run from within the call that asked for it. A handler may call, export, unexport, cancel and
// drop anything, its own handle included.
//
// Blocking: opening a connection (it waits for the bus's greeting), `callAndWait` and `flush` wait
// for the bus and are for a start, an end and the command line. Everything else returns at once.
// libdbus running out of memory ends the process.
