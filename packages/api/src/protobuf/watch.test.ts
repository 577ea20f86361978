import { expect, test } from "vitest"
import { decodeWatchFrames } from "./partial.ts"
import { encodeWatchFrame } from "./testing/watch-frame.ts"

const added = { type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { key: "x".repeat(2000) } } }
const bookmark = { type: "BOOKMARK", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: "7" } } }

test("whole frames give events, the beginning of one is kept for later", () => {
  const stream = Uint8Array.from([...encodeWatchFrame(added), ...encodeWatchFrame(bookmark)])
  expect(decodeWatchFrames(stream)).toEqual({ events: [added, bookmark], rest: new Uint8Array() })
  for (const cut of [0, 3, 4, 100, stream.length - 1]) {
    const first = decodeWatchFrames(stream.subarray(0, cut))
    const second = decodeWatchFrames(Uint8Array.from([...first.rest, ...stream.subarray(cut)]))
    expect([...first.events, ...second.events]).toEqual([added, bookmark])
  }
})

test("a frame of gigabytes is refused, not waited for", () => {
  expect(() => decodeWatchFrames(Uint8Array.from([0x7f, 0, 0, 0, 1]))).toThrow("a watch frame has at most 67108864 bytes, not 2130706432")
})
