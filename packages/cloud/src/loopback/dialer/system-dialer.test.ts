import { getEventListeners } from "node:events"
import { expect, test } from "vitest"
import { echo, freePort, udpEcho } from "../testing/traffic.ts"
import { maxEarly, systemDialer } from "./system-dialer.ts"

test("a dial that is aborted before it begins ends at once", async () => {
  await using there = await echo("there")
  const { address, port } = there.target
  await expect(systemDialer.dial(address, port, AbortSignal.abort())).rejects.toThrow(`aborted while connecting to ${address}:${port}`)
})

test("a dial left its listener on the signal", async () => {
  await using there = await echo("there")
  const { signal } = new AbortController()
  const socket = await systemDialer.dial(there.target.address, there.target.port, signal)
  socket.destroy()
  await expect(systemDialer.dial("127.0.0.1", await freePort(), signal)).rejects.toThrow("ECONNREFUSED")
  expect(getEventListeners(signal, "abort")).toEqual([])
})

test("a datagram is sent and answered, and one to a closed port is refused", async () => {
  await using there = await udpEcho("there")
  const answered = Promise.withResolvers<string>()
  const refused = Promise.withResolvers<string>()
  const receiver = { receive: (message: Uint8Array) => answered.resolve(String(message)), refused: () => refused.resolve("refused") }
  const open = (port: number) => systemDialer.open("127.0.0.1", port, receiver)
  const flows = [open(there.target.port), open(await freePort())]
  for (const flow of flows) flow.send(Buffer.from("hello"))
  expect(await Promise.all([answered.promise, refused.promise])).toEqual(["there:hello", "refused"])
  for (const flow of flows) flow.close()
})

test("an address that no socket can be connected to is refused, whatever is sent there", async () => {
  const refused = Promise.withResolvers<string>()
  // One for all hosts of a network: sockets need leave for that.
  const flow = systemDialer.open("255.255.255.255", 9, {
    receive: () => expect.fail("no answer comes"),
    refused: () => refused.resolve("refused"),
  })
  flow.send(Buffer.from("before"))
  expect(await refused.promise).toBe("refused")
  flow.send(Buffer.from("after"))
  flow.close()
})

test("only a few datagrams wait for the connection", async () => {
  await using there = await udpEcho("there")
  const received: string[] = []
  const last = Promise.withResolvers<void>()
  const flow = systemDialer.open("127.0.0.1", there.target.port, {
    receive(message) {
      received.push(String(message))
      if (received.length === maxEarly) flow.send(Buffer.from("late"))
      if (String(message) === "there:late") last.resolve()
    },
    refused: () => expect.fail("the port is open"),
  })
  for (let at = 0; at < 10 * maxEarly; at++) flow.send(Buffer.from(`${at}`))
  await last.promise
  expect(received).toEqual([...Array.from({ length: maxEarly }, (_, at) => `there:${at}`), "there:late"])
  flow.close()
})
