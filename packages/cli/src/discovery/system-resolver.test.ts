import { createSocket } from "node:dgram"
import { once } from "node:events"
import { expect, test } from "vitest"
import { systemResolver } from "./system-resolver.ts"

interface Zone {
  /** Of the A question, and of the AAAA question: addresses as bytes, or a code of failure. */
  readonly four: readonly (readonly number[])[] | number
  readonly six: readonly (readonly number[])[] | number
}

const ipv6 = (last: number): readonly number[] => [0xfd, ...Array<number>(14).fill(0), last]

/** A name server on a loopback port that knows one zone; records of IPv4 live for 60 s, of IPv6 for 90 s. */
async function nameServer({ four, six }: Zone) {
  const socket = createSocket("udp4")
  socket.on("message", (question, from) => {
    const isFour = question.readUInt16BE(question.indexOf(0, 12) + 1) === 1
    const known = isFour ? four : six
    const records = typeof known === "number" ? [] : known
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8180 | (typeof known === "number" ? known : 0), 2)
    for (const [at, count] of [1, records.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at)
    const name = question.subarray(12, question.indexOf(0, 12) + 5)
    const answers = records.map((bytes) =>
      Buffer.from([0xc0, 0x0c, 0, isFour ? 1 : 28, 0, 1, 0, 0, 0, isFour ? 60 : 90, 0, bytes.length, ...bytes]),
    )
    socket.send(Buffer.concat([header, name, ...answers]), from.port)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  return { address: `127.0.0.1:${socket.address().port}`, [Symbol.dispose]: () => void socket.close() }
}

const [serverFailure, noSuchName] = [2, 3]

test.each<readonly [string, Zone, readonly string[], number]>([
  ["both families, and the shorter life", { four: [[10, 0, 0, 1]], six: [ipv6(1)] }, ["10.0.0.1", "fd00::1"], 60_000],
  ["several addresses", { four: [], six: [ipv6(1), ipv6(2)] }, ["fd00::1", "fd00::2"], 90_000],
  ["one family that answers is enough", { four: [[10, 0, 0, 1]], six: serverFailure }, ["10.0.0.1"], 60_000],
  ["a name that does not exist", { four: noSuchName, six: noSuchName }, [], 0],
])("%s", async (_title, zone, addresses, ttl) => {
  using server = await nameServer(zone)
  const found = await systemResolver([server.address])("gate.example", new AbortController().signal)
  expect(found).toEqual({ addresses, ttl })
})

test.each<readonly [string, Zone]>([
  ["for both families", { four: serverFailure, six: serverFailure }],
  ["for IPv4, and has nothing of IPv6", { four: serverFailure, six: [] }],
  ["for IPv6, and has nothing of IPv4", { four: [], six: serverFailure }],
])("a name server that fails %s is no answer", async (_title, zone) => {
  using server = await nameServer(zone)
  await expect(systemResolver([server.address])("gate.example", new AbortController().signal)).rejects.toThrow("ESERVFAIL")
})

test("the signal ends a query without an answer", async () => {
  const silent = createSocket("udp4").bind(0, "127.0.0.1")
  await once(silent, "listening")
  const stop = new AbortController()
  const asked = systemResolver([`127.0.0.1:${silent.address().port}`])("gate.example", stop.signal)
  stop.abort()
  await expect(asked).rejects.toThrow("ECANCELLED")
  silent.close()
})
