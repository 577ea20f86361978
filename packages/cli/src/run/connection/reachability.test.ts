import { PilothouseError, recordingLog, type Transport, type TransportRequest, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { reachability } from "./reachability.ts"

const get: TransportRequest = { verb: "GET", path: "/api/v1/pods", query: {}, headers: {} }

/** A server that is not there until `state.there`. */
function dead(renewDeadline?: number) {
  const clock = new VirtualClock()
  const { log, lines } = recordingLog()
  const reach = reachability({ clock, log, renewDeadline })
  const state = { there: false }
  const server: Transport = async () => {
    if (!state.there) throw new PilothouseError("CONNECTION_LOST", "nothing listens there")
    return { status: 200, headers: {}, body: { type: "value", value: {} } }
  }
  const ask = reach.layer(server)
  const said = (level: string) =>
    lines.filter((line) => line.level === level).map(({ message, fields }) => `${message} ${fields.for ?? ""}`)
  return { clock, reach, state, said, ask: () => ask(get).catch(() => {}) }
}

test("logs a dead server once, then ever more seldom, then that it is back", async () => {
  const { clock, state, said, ask } = dead()
  for (let second = 0; second < 100; second++) {
    await ask()
    await clock.advance(1000)
  }
  expect(said("warn")).toEqual([
    "the API server cannot be reached; everything goes on once it can ",
    "still waiting for the API server 10s",
    "still waiting for the API server 30s",
    "still waiting for the API server 1m10s",
  ])
  state.there = true
  await ask()
  await ask()
  expect(said("info")).toEqual(["the API server can be reached "])
})

test("it was said that everything goes on, and a leader ended three seconds later: it says how long a lease is held", async () => {
  const { said, ask } = dead(10_000)
  await ask()
  expect(said("warn")).toEqual([
    "the API server cannot be reached; everything goes on once it can, but a leader ends 10s after it last renewed its lease ",
  ])
})

test("what controllers say of it meanwhile is for those who debug; all else is said as ever", async () => {
  const { reach, state, said, ask } = dead()
  reach.log.warn("a cloud controller failed", { error: "no quota" })
  await ask()
  reach.log.warn("stream of pods failed, going on", { error: "nothing listens there" })
  reach.log.error("the disk is full", { error: "ENOSPC" })
  reach.log.warn("a reconcile failed", { error: "the Deployment cannot be read: nothing listens there" })
  reach.log.warn("root-ca-certificate-publisher-controller is left out", { needs: "--root-ca-file" })
  expect(said("debug")).toEqual(["stream of pods failed, going on ", "a reconcile failed "])
  expect(said("error")).toEqual(["the disk is full "])
  expect(said("warn")).toHaveLength(3)
  state.there = true
  await ask()
  reach.log.warn("stream of pods failed, going on", { error: "too old" })
  expect(said("warn")).toHaveLength(4)
})

test("warnings of others were hidden while the server was away", async () => {
  const { reach, said, ask } = dead()
  await ask()
  reach.log.warn("Keystone does not let us in", { error: "GET https://keystone.example/v3 failed: 503" })
  reach.log.warn("a pool of ports could not be filled", { error: "quota exceeded" })
  expect(said("debug")).toEqual([])
  expect(said("warn").slice(1)).toEqual(["Keystone does not let us in ", "a pool of ports could not be filled "])
})

test("of lost requests only the newest thousand are remembered", async () => {
  const { reach, said } = dead()
  const lost: Transport = ({ path }) => Promise.reject(new PilothouseError("CONNECTION_LOST", `no answer to ${path};`))
  for (let number = 0; number <= 1000; number++)
    await reach
      .layer(lost)({ ...get, path: `/${number}` })
      .catch(() => {})
  for (const number of [0, 1, 1000]) reach.log.warn(`${number}`, { error: `no answer to /${number};` })
  expect([said("warn").slice(1), said("debug")]).toEqual([["0 "], ["1 ", "1000 "]])
})

test("a request that was given up says nothing of the server", async () => {
  const { reach, said } = dead()
  const lost: Transport = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "told to stop"))
  await expect(reach.layer(lost)({ ...get, signal: AbortSignal.abort() })).rejects.toThrow("told to stop")
  expect(said("warn")).toEqual([])
})
