// SPDX-License-Identifier: MIT
@MainActor package final class ObjectTree { func receive(_ m: OpaquePointer) {} }
