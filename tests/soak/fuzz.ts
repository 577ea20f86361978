import { fuzzEdge } from "./fuzz/edge.ts"
import { fuzzer } from "./fuzz/fuzzer.ts"
import { growInCluster } from "./fuzz/growth/cluster-growth.ts"
import { growAtEdge } from "./fuzz/growth/edge-growth.ts"
import { growKinds } from "./fuzz/growth/kind-growth.ts"
import { rightsFuzzer } from "./fuzz/rights/rights.ts"
import { webhookAnswersFuzzer } from "./fuzz/webhook-answers.ts"
import type { SoakContext } from "./soak.ts"

/** Of the requests: two in five are bad, one in ten is of a user with rights of its own, and half are large. */
const badShare = 0.4
/** Of users with rights of their own. */
const rightsShare = 0.1
/** Beside them: writes that a webhook answers badly. */
const webhookShare = 0.02
const growthShares = [
  ["fields of every kind", growKinds, 0.43],
  ["fields in a cluster", growInCluster, 0.05],
  ["paths, parameters and headers", growAtEdge, 0.02],
] as const

/**
 * Bad requests to a fresh server every thousand: always an answer, a Status where it is a refusal, and never a fault of the server's own; then bad HTTP
 * over sockets. Writes that webhooks answer badly. Requests of users with different rights: none reads or writes what RBAC denies. And large requests: every field of every kind, and what the edge reads, grows, and the time for it grows no faster.
 */
export async function soak(context: SoakContext): Promise<void> {
  const requests = context.number("requests", 100_000)
  await badRequests(context, Math.ceil(requests * badShare))
  await requestsOfUsers(context, Math.ceil(requests * rightsShare))
  await badWebhookAnswers(context, Math.ceil(requests * webhookShare))
  for (const [name, grow, share] of growthShares) {
    const begun = performance.now()
    let faults = 0
    const made = await grow(context.random, Math.ceil(requests * share), (fault) => {
      faults++
      context.failed(`more than linear time: ${fault}`)
    })
    context.passed(made - faults)
    context.print(`${made} requests that grow ${name}, ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  }
}

/** Every answer is checked by a model of RBAC that shares no code with the server. */
async function requestsOfUsers({ random, print, passed, failed }: SoakContext, requests: number): Promise<void> {
  let next = await rightsFuzzer(random)
  for (let count = 1; count <= requests; count++) {
    const fault = await next()
    if (fault === undefined) passed()
    else failed(`request ${count} of users with rights: ${fault}`)
    if (count % 1000 === 0) next = await rightsFuzzer(random)
  }
  print(`${requests} requests of users with rights`)
}

async function badWebhookAnswers({ random, print, passed, failed }: SoakContext, requests: number): Promise<void> {
  let next = await webhookAnswersFuzzer(random)
  for (let count = 1; count <= requests; count++) {
    const fault = await next()
    if (fault === undefined) passed()
    else failed(`answer ${count} of a webhook: ${fault}`)
    if (count % 1000 === 0) next = await webhookAnswersFuzzer(random)
  }
  print(`${requests} answers of webhooks`)
}

async function badRequests({ random, print, passed, failed }: SoakContext, requests: number): Promise<void> {
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
