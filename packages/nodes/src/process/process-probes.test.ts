import type { Container, Probe } from "@pilothouse/api/core/v1"
import { type Clock, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { type Probed, watchProbes } from "./process-probes.ts"

const everySecond = { periodSeconds: 1, tcpSocket: { port: 80 } } satisfies Probe

/** What is reported, and after how many seconds. The host is healthy from `from` to `to`. */
async function told(container: Partial<Container>, seconds: number, from = 0, to = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
  return (await watched(container, seconds, from, to)).said
}

async function watched(container: Partial<Container>, seconds: number, from: number, to: number) {
  const clock = new VirtualClock()
  const over = new AbortController()
  const said: string[] = []
  const complaints: string[] = []
  const watching = watchProbes(
    { name: "main", ...container },
    {
      clock,
      signal: over.signal,
      isStopping: () => false,
      ask: async () => {
        const at = clock.elapsed() / 1000
        if (at < from || at >= to) throw new Error("refused")
      },
      report: (change: Partial<Probed>) => {
        const words = Object.entries(change).filter(([, value]) => value !== undefined)
        if (words.length > 0) said.push(`${clock.elapsed() / 1000}: ${words.map(([name, value]) => `${name} ${value}`).join(", ")}`)
      },
      complain: (text) => complaints.push(`${clock.elapsed() / 1000}: ${text}`),
    },
  )
  await clock.advance(seconds * 1000)
  over.abort()
  await clock.run(watching)
  return { said, complaints }
}

test("without probes it has started and is ready", async () => {
  expect(await told({}, 5)).toEqual(["0: started true, ready true"])
})

test("a startup probe comes before all others", async () => {
  const probes = { startupProbe: everySecond, readinessProbe: everySecond }
  expect((await told(probes, 5, 2)).slice(0, 2)).toEqual(["2: started true", "2: ready true"])
})

test.each([
  ["is over by then", 1, "2: ready true"],
  ["is not", 4, "4: ready true"],
])("an initial delay counted from when it had started, not from its start: it %s", async (_name, initialDelaySeconds, expected) => {
  const probes = { startupProbe: everySecond, readinessProbe: { ...everySecond, initialDelaySeconds } }
  expect((await told(probes, 5, 2))[1]).toBe(expected)
})

test("reports every failed probe", async () => {
  const container = { startupProbe: everySecond, readinessProbe: everySecond, livenessProbe: { ...everySecond, failureThreshold: 9 } }
  expect((await watched(container, 6, 2, 5)).complaints).toEqual([
    "0: Startup probe failed: refused",
    "1: Startup probe failed: refused",
    "5: Readiness probe failed: refused",
    "5: Liveness probe failed: refused",
    "6: Readiness probe failed: refused",
    "6: Liveness probe failed: refused",
  ])
})

test("a startup probe that fails too often ends it, and nothing else is asked", async () => {
  expect(await told({ startupProbe: { ...everySecond, failureThreshold: 3 }, readinessProbe: everySecond }, 9, 100)).toEqual([
    "2: failed startup",
  ])
})

test("a liveness probe went on after its verdict, and complained each time", async () => {
  expect(await watched({ livenessProbe: { ...everySecond, failureThreshold: 2 } }, 9, 0, 3)).toEqual({
    said: ["0: started true, ready true", "4: failed liveness"],
    complaints: ["3: Liveness probe failed: refused", "4: Liveness probe failed: refused"],
  })
})

test.each<[string, Partial<Probe>, string]>([
  ["at once, by default", {}, "0: ready true"],
  ["after its delay", { initialDelaySeconds: 4 }, "4: ready true"],
  ["after so many good answers in a row", { successThreshold: 3 }, "2: ready true"],
])("readiness is asked for %s", async (_name, more, first) => {
  expect((await told({ readinessProbe: { ...everySecond, ...more } }, 6))[1]).toBe(first)
})

test("every ten seconds, by default", async () => {
  expect(await told({ readinessProbe: { tcpSocket: { port: 80 } } }, 25)).toEqual([
    "0: started true",
    "0: ready true",
    "10: ready true",
    "20: ready true",
  ])
})

test("it is not ready after three failures in a row, by default", async () => {
  const bad = async (more: Partial<Probe>) =>
    (await told({ readinessProbe: { ...everySecond, ...more } }, 12, 0, 5)).find((line) => line.includes("ready false"))
  expect(await bad({})).toBe("7: ready false")
  expect(await bad({ failureThreshold: 1 })).toBe("5: ready false")
})

/** Watches a liveness probe for so long; the host answers as given. The clock does not wait for probes. */
async function complaintOf(
  probe: Partial<Probe>,
  ask: (signal: AbortSignal) => Promise<void>,
  seconds: number,
): Promise<string | undefined> {
  const clock = new VirtualClock()
  const over = new AbortController()
  let complaint: string | undefined
  let failed = false
  const impatient: Clock = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleep: (...how) => clock.sleep(...how),
    timer: (...how) => clock.timer(...how),
    external: (work) => work,
  }
  const watching = watchProbes(
    { name: "main", livenessProbe: { ...everySecond, ...probe } },
    {
      clock: impatient,
      signal: over.signal,
      isStopping: () => false,
      ask: (_probe, signal) => ask(signal),
      report: (change) => (failed ||= change.failed === "liveness"),
      complain: (text) => (complaint = text),
    },
  )
  await clock.advance(seconds * 1000)
  over.abort()
  await clock.run(watching)
  return failed ? complaint?.replace("Liveness probe failed: ", "") : undefined
}

test.each([
  ["a success between failures resets the count", [false, false, true, false, false, true], undefined],
  ["three in a row are too many", [false, true, false, false, false], "no"],
])("%s", async (_name, given, complaint) => {
  const answers = [...given]
  const ask = async () => {
    if (!answers.shift()) throw new Error("no")
  }
  expect(await complaintOf({}, ask, given.length - 0.5)).toBe(complaint)
  expect(answers).toEqual([])
})

test.each([
  ["a second, by default", undefined, "no answer within 1 s"],
  ["as long as it says", 3, "no answer within 3 s"],
])("a probe is waited for %s", async (_name, timeoutSeconds, complaint) => {
  const never = (signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up")), { once: true }))
  expect(await complaintOf({ timeoutSeconds, failureThreshold: 1 }, never, 3.5)).toBe(complaint)
})
