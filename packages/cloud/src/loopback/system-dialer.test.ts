import { getEventListeners } from "node:events"
import { expect, test } from "vitest"
import { systemDialer } from "./system-dialer.ts"
import { echo, freePort } from "./test-traffic.ts"

test("a dial that was told to stop before it began went on", async () => {
  await using there = await echo("there")
  const { address, port } = there.target
  await expect(systemDialer.dial(address, port, AbortSignal.abort())).rejects.toThrow(`told to stop while connecting to ${address}:${port}`)
})

test("a dial left its listener on the signal", async () => {
  await using there = await echo("there")
  const { signal } = new AbortController()
  const socket = await systemDialer.dial(there.target.address, there.target.port, signal)
  socket.destroy()
  await expect(systemDialer.dial("127.0.0.1", await freePort(), signal)).rejects.toThrow("ECONNREFUSED")
  expect(getEventListeners(signal, "abort")).toEqual([])
})
