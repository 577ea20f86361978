import { expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import type { PodPort } from "../vif/pod-vif.ts"
import { PortRemovals } from "./port-removals.ts"

const { signal } = new AbortController()

function port(id: string): PodPort {
  return { port: { id } as Port }
}

function removals(stays?: string) {
  const rounds: string[][] = []
  const made = new PortRemovals(async (ports) => {
    const ids = ports.map((one) => one.port.id)
    rounds.push(ids)
    await Promise.resolve()
    if (stays !== undefined && ids.includes(stays)) throw new Error(`${stays} is in use`)
  })
  return { rounds, remove: (id: string) => made.remove(port(id), signal) }
}

test("those that leave while one is removed go together, ten at a time", async () => {
  const { rounds, remove } = removals()
  await Promise.all(Array.from({ length: 22 }, (_, at) => remove(`port-${at}`)))
  expect(rounds.map((ids) => ids.length)).toEqual([1, 10, 10, 1])
})

test("one that cannot be deleted does not delay the others", async () => {
  const { remove } = removals("stuck")
  const ends = await Promise.allSettled(["first", "one", "stuck", "two"].map(remove))
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"])
})

test("a host whose trunk takes its time holds up its own ports only, and no more than four hosts are under way", async () => {
  const rounds: string[] = []
  const slow = Promise.withResolvers<void>()
  const made = new PortRemovals(async (ports) => {
    rounds.push(ports.map(({ port: { id }, host }) => `${host}/${id}`).join(" "))
    if (ports[0]?.host === "slow") await slow.promise
  })
  const remove = (host: string, id: string) => made.remove({ ...port(id), host }, signal)
  const held = [remove("slow", "a"), remove("slow", "b")]
  await Promise.all(["h1", "h2", "h3", "h4", "h5"].flatMap((host) => [remove(host, "a"), remove(host, "b")]))
  expect(rounds.filter((round) => round.startsWith("slow"))).toEqual(["slow/a"])
  expect(rounds.slice(0, 4)).toEqual(["slow/a", "h1/a", "h2/a", "h3/a"])
  slow.resolve()
  await Promise.all(held)
  expect(rounds.at(-1)).toBe("slow/b")
})
