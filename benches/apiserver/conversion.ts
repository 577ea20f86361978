// What conversion webhooks cost: creates in a version that is not stored, and lists of it, by a webhook on the loopback.
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Row } from "../bench.ts"
import { withoutGoal } from "../beside.ts"
import { installed } from "../up/program.ts"
import { best, inTurn, type Pair, serversIn, sidesIn } from "./pair.ts"
import type { RunningServer } from "./server.ts"
import { prepareCertificates, type Side, start } from "./sides.ts"
import { type BenchReview, type WebhookServer, webhookServer } from "./webhook-server.ts"

const group = "bench.example.com"
const boxes = (version: string) => `/apis/${group}/${version}/namespaces/default/boxes`
/** Objects that are created at once, in a round, and listed. */
const [clients, perRound, rounds, lists] = [16, 600, 3, 10]

export async function conversion(directory: string, peers: boolean): Promise<readonly Row[]> {
  const certificates = join(directory, "pki")
  const ca = await prepareCertificates(certificates)
  const program = await installed()
  const started = (side: Side) => start(side, ca, { certificates, data: join(directory, side), program })
  const ours = await started("ours")
  const pair: Pair = peers ? { ours, theirs: await started("theirs") } : { ours }
  await using webhook = await webhookServer(join(directory, "webhook"), converted)
  try {
    for (const server of serversIn(pair)) {
      await server.ready()
      await define(server, webhook)
    }
    const creates = await inTurn(sidesIn(pair), rounds, (side, round) => createsPerSecond(pair[side]!, round))
    const listed = await inTurn(sidesIn(pair), rounds, (side) => objectsPerSecond(pair[side]!))
    return [
      withoutGoal("custom resource creates in a version that a webhook converts, 16 clients", "/s", best(creates)),
      withoutGoal("custom resources listed in a version that a webhook converts", "/s", best(listed)),
    ]
  } finally {
    for (const server of serversIn(pair)) await server.stop()
  }
}

/** The two versions differ in the name of a field. */
function converted({ request: { desiredAPIVersion = "", objects = [] } }: BenchReview): object {
  const convertedObjects = objects.map(({ spec, ...object }) => {
    const { size, length } = spec
    const value = size ?? length
    return { ...object, apiVersion: desiredAPIVersion, spec: desiredAPIVersion.endsWith("/v1") ? { size: value } : { length: value } }
  })
  return { convertedObjects, result: { status: "Success" } }
}

async function define({ client }: RunningServer, { url, caBundle }: WebhookServer): Promise<void> {
  const version = (name: string, storage: boolean, field: string) => {
    const spec = { type: "object", properties: { [field]: { type: "integer" } } }
    return { name, served: true, storage, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }
  }
  const body = {
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "boxes", kind: "Box" },
      versions: [version("v1", true, "size"), version("v2", false, "length")],
      conversion: { strategy: "Webhook", webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ["v1"] } },
    },
  }
  await client.expect(201, { verb: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body })
  for (let tries = 0; tries < 100; tries++) {
    if ((await client.send({ verb: "POST", path: boxes("v2"), body: box(`first-${tries}`) })).status === 201) return
    await delay(100)
  }
  throw new Error("the definition was not served within ten seconds")
}

function box(name: string): object {
  return { apiVersion: `${group}/v2`, kind: "Box", metadata: { name }, spec: { length: 3 } }
}

async function createsPerSecond({ client }: RunningServer, round: number): Promise<number> {
  const began = performance.now()
  let next = 0
  const work = async () => {
    while (next < perRound) await client.expect(201, { verb: "POST", path: boxes("v2"), body: box(`b-${round}-${next++}`) })
  }
  await Promise.all(Array.from({ length: clients }, work))
  return (perRound * 1000) / (performance.now() - began)
}

async function objectsPerSecond({ client }: RunningServer): Promise<number> {
  const began = performance.now()
  for (let list = 0; list < lists; list++) await client.expect(200, { verb: "GET", path: boxes("v2") })
  return (lists * rounds * perRound * 1000) / (performance.now() - began)
}
