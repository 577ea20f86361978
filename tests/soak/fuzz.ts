import { fuzzEdge } from "./fuzz/edge.ts"
import { fuzzer } from "./fuzz/fuzzer.ts"
import type { SoakContext } from "./soak.ts"

/** Bad requests to a fresh server every thousand: always an answer, a Status where it is a refusal, and never a fault of the server's own; then bad HTTP over sockets. */
export async function soak({ random, number, print, passed, failed }: SoakContext): Promise<void> {
  const requests = number("requests", 100_000)
  let next = fuzzer(random)
  for (let count = 1; count <= requests; count++) {
    const fault = await next()
    if (fault === undefined) passed()
    else failed(`request ${count}: ${fault}`)
    if (count % 1000 === 0) next = fuzzer(random)
    if (count % 10_000 === 0) print(`${count} requests`)
  }
  // Sockets take real time: one in two hundred.
  const sockets = Math.ceil(requests / 200)
  const faults = await fuzzEdge(random, sockets)
  print(`${sockets} connections`)
  passed(Math.max(0, sockets - faults.length))
  for (const fault of faults) failed(fault)
}
