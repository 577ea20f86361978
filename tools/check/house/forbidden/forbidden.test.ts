import { describe, expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { parseModule } from "../tree/module.ts"
import { forbiddenOutside } from "./forbidden.ts"
import { forbiddenUses } from "./forbidden-uses.ts"

describe("what counts as reaching for it", () => {
  test.each([
    ["Date.now()", "Date.now"],
    ['Date["now"]()', "Date.now"],
    ["new Date()", "new Date()"],
    ["Date()", "Date()"],
    ["const then = Date.now", "Date.now"],
    ["performance.now()", "performance.now"],
    ['import { performance } from "node:perf_hooks"\nperformance.now()', "performance.now"],
    ["Math.random()", "Math.random"],
    ["crypto.randomUUID()", "crypto.randomUUID"],
    ["globalThis.crypto.getRandomValues(x)", "crypto.getRandomValues"],
    ["crypto.subtle.sign(x)", "crypto.subtle"],
    ["setTimeout(f, 1)", "setTimeout"],
    ["globalThis.setInterval(f, 1)", "setInterval"],
    ["const later = { setImmediate }", "setImmediate"],
    ["process.nextTick(f)", "process.nextTick"],
    ["process.env.HOME", "process.env"],
    ["const { env } = process", "process.env"],
    ['import { env } from "node:process"', "node:process"],
    ['import { threadId } from "node:worker_threads"', "node:worker_threads"],
    ["new MessageChannel().port1.postMessage(1)", "MessageChannel"],
    ['import { setImmediate } from "timers/promises"', "node:timers"],
    ["const get = (request = fetch) => request", "fetch"],
    ["new WebSocket(url)", "WebSocket"],
    ["AbortSignal.timeout(5)", "AbortSignal.timeout"],
    ['import { readFileSync } from "node:fs"', "node:fs"],
    ['import { readFile } from "node:fs/promises"', "node:fs"],
    ['export { connect } from "node:net"', "node:net"],
    ['const http2 = await import("node:http2")', "node:http2"],
    ['const { createServer } = process.getBuiltinModule("node:http")', "node:http"],
    ['process.getBuiltinModule("node:crypto")', "node:crypto *"],
    ['import { setTimeout } from "node:timers/promises"', "node:timers"],
    ['import { scrypt } from "node:crypto"', "node:crypto scrypt"],
    ['import { randomBytes } from "node:crypto"', "node:crypto randomBytes"],
    ['import * as crypto from "node:crypto"', "node:crypto *"],
    ['import { gzip } from "node:zlib"', "node:zlib gzip"],
  ])("%s", (text, what) => {
    expect(forbiddenUses(parseModule("x.ts", text)).map((use) => use.what)).toEqual([what])
  })
})

describe("what does not", () => {
  test.each([
    "new Date(0)",
    "Date.UTC(2026, 0)",
    "Date.parse(text)",
    "clock.now()",
    "queueMicrotask(f)",
    "const clock = { fetch() {}, setTimeout: 1 }\nclock.fetch()",
    "class Clock { setTimeout() {} }",
    "function get(fetch) { return fetch(url) }",
    "const get = ({ fetch }) => fetch(url)",
    'import { fetch } from "./mine.ts"\nfetch(url)',
    "type Fetch = typeof fetch",
    "interface Options { fetch: unknown }",
    'import type { Server } from "node:http"',
    'import { createHash, createSign, timingSafeEqual } from "node:crypto"',
    'import { gzipSync, constants, crc32 } from "node:zlib"',
    'import { join } from "node:path"',
    "// Date.now() in a comment",
    'const text = "Date.now()"',
  ])("%s", (text) => {
    expect(forbiddenUses(parseModule("x.ts", text))).toEqual([])
  })
})

const entry = { file: "packages/a/src/clock.ts", uses: ["Date.now"], reason: "is the clock" }
const fix =
  "take a Clock, Random, Files or Transport as a parameter; a file that implements one is listed in tools/check/house/forbidden/seam-files.ts"
const sleeps = "use the virtual clock: a test that sleeps is a bug"
const rows: Record<string, { listed?: (typeof entry)[]; files: Record<string, string>; says: string[] }> = {
  "a source": {
    files: { "packages/a/src/b.ts": "\nexport const now = () => Date.now()" },
    says: [`packages/a/src/b.ts:2 expected what is outside to be passed in, found Date.now; ${fix}`],
  },
  "a listed file": { listed: [entry], files: { "packages/a/src/clock.ts": "Date.now()" }, says: [] },
  "a listed file that uses more than is listed": {
    listed: [entry],
    files: { "packages/a/src/clock.ts": "Date.now()\nMath.random()" },
    says: [`packages/a/src/clock.ts:2 expected what is outside to be passed in, found Math.random; ${fix}`],
  },
  "an entry whose file has changed": {
    listed: [entry],
    files: { "packages/a/src/clock.ts": "export {}" },
    says: [
      "tools/check/house/forbidden/seam-files.ts:1 expected every entry to be needed, found no Date.now in packages/a/src/clock.ts; remove it from the list",
    ],
  },
  "an entry whose file is gone": {
    listed: [entry],
    files: {},
    says: [
      "tools/check/house/forbidden/seam-files.ts:1 expected every entry to be needed, found no file packages/a/src/clock.ts; remove it from the list",
    ],
  },
  "a test that sleeps": {
    files: { "packages/a/src/b.test.ts": "setTimeout(f, 5)", "tools/b.test.ts": "Date.now()" },
    says: [
      `packages/a/src/b.test.ts:1 expected what is outside to be passed in, found setTimeout; ${sleeps}`,
      `tools/b.test.ts:1 expected what is outside to be passed in, found Date.now; ${sleeps}`,
    ],
  },
  "a test that reads a file": { files: { "packages/a/src/b.test.ts": 'import "node:fs"' }, says: [] },
  "tools, generated code and suites over real components": {
    files: { "tools/b.ts": "Date.now()", "packages/a/src/generated/b.ts": "Date.now()", "tests/real/main.ts": "Date.now()" },
    says: [],
  },
}

test.each(Object.entries(rows))("%s", (_, { listed = [], files, says }) => {
  expect(findingsOf(forbiddenOutside(listed), files)).toEqual(says)
})
