/** `object.property` that reaches for time, randomness, the environment or the thread pool. */
export const forbiddenMembers: readonly string[] = [
  "Date.now",
  "performance.now",
  "process.hrtime",
  "process.uptime",
  "process.nextTick",
  "process.env",
  "Math.random",
  "crypto.randomUUID",
  "crypto.getRandomValues",
  "crypto.subtle",
  "AbortSignal.timeout",
]

export const forbiddenGlobals: readonly string[] = [
  "setTimeout",
  "setInterval",
  "setImmediate",
  "fetch",
  "WebSocket",
  "EventSource",
  // A message to oneself is a macrotask that virtual time does not see.
  "MessageChannel",
  "BroadcastChannel",
]

export const forbiddenModules: readonly string[] = [
  "node:net",
  "node:http",
  "node:https",
  "node:http2",
  "node:tls",
  "node:dgram",
  "node:dns",
  "node:fs",
  "node:child_process",
  "node:timers",
  // Code that needs standard output or an exit code stands at the edge, and uses the global; the module would hide process.env under any name.
  "node:process",
  "node:worker_threads",
  "node:cluster",
]

/** Random bits, and work that goes to the thread pool; each has a synchronous sister where it is needed. */
export const forbiddenCryptoNames: readonly string[] = [
  "generateKey",
  "generateKeyPair",
  "generatePrime",
  "checkPrime",
  "getRandomValues",
  "hkdf",
  "pbkdf2",
  "randomBytes",
  "randomFill",
  "randomFillSync",
  "randomInt",
  "randomUUID",
  "scrypt",
  "subtle",
  "webcrypto",
]

/** What makes a test sleep, or depend on the hour of the day. */
export const forbiddenInTests: readonly string[] = ["setTimeout", "setInterval", "Date.now", "AbortSignal.timeout", "node:timers"]
