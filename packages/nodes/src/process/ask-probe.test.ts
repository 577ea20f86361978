import { getEventListeners } from "node:events"
import { expect, test } from "vitest"
import { type AskProbeOptions, askProbe } from "./ask-probe.ts"
import { fakeHost } from "./test-spawn.ts"

const probe = { exec: { command: ["check"] } }

function asked() {
  const host = fakeHost()
  const options: AskProbeOptions = {
    container: { name: "main" },
    address: "127.0.0.1",
    call: { argv: [], env: {} },
    host: host.probe,
    spawn: host.spawn,
  }
  return { host, options }
}

test("a probe whose time was over while its command started ran on", async () => {
  const { host, options } = asked()
  const stop = new AbortController()
  const answer = askProbe(probe, options, stop.signal)
  stop.abort()
  await expect(answer).rejects.toThrow("exit code 137")
  expect(host.started[0]?.signals).toEqual(["SIGKILL"])
})

test("a probe whose time is over before it began starts nothing", async () => {
  const { host, options } = asked()
  await expect(askProbe(probe, options, AbortSignal.abort())).rejects.toMatchObject({ code: "ABORTED" })
  expect(host.started).toEqual([])
})

test.each([
  ["well", 0],
  ["ill", 1],
])("the listener of a probe goes with it: %s", async (_how, exitCode) => {
  const { host, options } = asked()
  const { signal } = new AbortController()
  const answer = askProbe(probe, options, signal).catch(() => "ill")
  await Promise.resolve()
  host.started[0]!.end({ exitCode })
  expect(await answer).toBe(exitCode === 0 ? undefined : "ill")
  expect(getEventListeners(signal, "abort")).toEqual([])
})
