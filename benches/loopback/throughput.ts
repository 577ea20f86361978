import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"

export interface Through {
  /** Bytes per second. */
  readonly rate: number
  /** Seconds of the balancer's CPU per gigabyte: a busy machine changes it less than the rate, and so do slow clients and endpoints. */
  readonly cpu: number
}

export interface Side {
  readonly host: string
  readonly port: number
  readonly pid: number
}

/** What an endpoint answers to every byte. */
export const chunkSize = 65_536

export interface Load {
  readonly connections: number
  /** Answers that each connection waits for at once. So much is under way and no more: a thousand greedy ones would wait seconds for their turn. */
  readonly depth: number
  readonly milliseconds: number
}

/** Milliseconds until every connection must have had its first answer. */
const patience = 30_000

/** What comes through once every connection has had an answer: a rate of a thousand of which a hundred are served says nothing of a thousand. */
export async function throughput({ host, port, pid }: Side, { connections, depth, milliseconds }: Load): Promise<Through> {
  const counts = new Array<number>(connections).fill(0)
  const sum = () => counts.reduce((all, count) => all + count, 0)
  const sockets = await Promise.all(counts.map((_, at) => opened(host, port, (count) => void (counts[at]! += count))))
  for (const socket of sockets) socket.write("x".repeat(depth))
  await allServed(counts)
  const [before, started, used] = [sum(), performance.now(), cpuSeconds(pid)]
  await sleep(milliseconds)
  const came = sum() - before
  const through = { rate: (came * 1000) / (performance.now() - started), cpu: (cpuSeconds(pid) - used) / (came / 1e9) }
  for (const socket of sockets) socket.destroy()
  await sleep(200)
  return through
}

async function allServed(counts: readonly number[]): Promise<void> {
  const started = performance.now()
  const served = () => counts.filter((count) => count > 0).length
  while (served() < counts.length) {
    if (performance.now() - started > patience)
      throw new Error(`expected all of ${counts.length} connections to be served within ${patience / 1000} s, found ${served()}`)
    await sleep(50)
  }
  await sleep(500)
}

/** Linux counts in hundredths; the name of the program, which may hold anything, stands before the last bracket. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Asks for the next chunk when one has come. All share one buffer: nothing reads what is in it. */
function opened(host: string, port: number, came: (count: number) => void): Promise<Socket> {
  let missing = chunkSize
  const take = (count: number): boolean => {
    came(count)
    missing -= count
    for (; missing <= 0; missing += chunkSize) socket.write("x")
    return true
  }
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket: Socket = connect({ host, port, noDelay: true, onread: { buffer: shared, callback: take } }, () => resolve(socket))
  socket.once("error", reject)
  return promise
}

const shared = Buffer.allocUnsafe(262_144)

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds))
}
