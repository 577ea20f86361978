// The same answer asked for twice, in JSON and in protobuf: ours must read the bytes as the server's own JSON. And bodies that ours encoded must do what the
// same bodies in JSON do.
import { apiVersionOf, pathOf } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { patchContentTypes } from "@pilothouse/api/patch"
import { decodeProtobuf, encodeProtobuf, hasProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { messageOf, type SeededRandom } from "@pilothouse/seams"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import type { Group, Tally } from "../tally.ts"
import { comparable, withoutOrder } from "./comparable.ts"
import { Draw } from "./draw.ts"
import { eachConcurrently } from "./each.ts"
import { collectionOf, type LiveObject, namespace } from "./live-objects.ts"
import { drawMergePatch } from "./merge-patches.ts"
import type { JsonObject, SampleObject } from "./objects/object.ts"
import { reviews } from "./objects/reviews.ts"
import { patchTargets } from "./patch-targets.ts"
import { protobufDifference } from "./protobuf-difference.ts"
import { judgeWatches } from "./protobuf-watches.ts"

export async function judgeProtobuf(tally: Tally, client: ApiClient, live: readonly LiveObject[], random: SeededRandom): Promise<void> {
  await tally.group("objects read from protobuf", (group) =>
    eachConcurrently(live, async ({ title, path }) => group.case(title, await readBoth(client, { verb: "GET", path }))),
  )
  await tally.group("lists, scales, statuses and failures read from protobuf", (group) =>
    eachConcurrently([...lists(), ...others], async (path) => group.case(path, await readTwice(client, { verb: "GET", path }))),
  )
  await tally.group("objects written as protobuf", (group) =>
    eachConcurrently(live, async ({ title, sent, object, path }) => {
      group.case(`create ${title}`, await writeBoth(client, { verb: "POST", path: collectionOf(sent), query }, renamed(sent)))
      group.case(`update ${title}`, await writeBoth(client, { verb: "PUT", path, query }, object))
    }),
  )
  await tally.group("reviews and other bodies without a resource, both ways", (group) =>
    eachConcurrently(reviews, async ({ path, body }) =>
      group.case(String(body.kind), await writeBoth(client, { verb: "POST", path, query }, body)),
    ),
  )
  await tally.group(`${patchedCount} patched objects, decoded`, (group) => judgePatched(group, client, live, new Draw(random)))
  await tally.group("watches read from protobuf", (group) => judgeWatches(group, client))
}

const query = { dryRun: "All" }
const patchedCount = 300

/** Objects that were not written by hand: what random patches make of the samples. */
async function judgePatched(group: Group, client: ApiClient, live: readonly LiveObject[], draw: Draw): Promise<void> {
  const targets = patchTargets(live)
  const requests = Array.from({ length: patchedCount }, (): ApiRequest => {
    const target = draw.pick(targets)
    const body = target.draw((schema, object, path) => drawMergePatch(draw, schema, object, path))
    return { verb: "PATCH", path: target.path, query, contentType: patchContentTypes.merge, body }
  })
  await eachConcurrently(requests, async (request) => {
    const json = await client.send(request)
    const protobuf = await client.send({ ...request, accept: protobufContentType })
    const theirs = json.status < 300 ? json.value : withoutOrder(json.value)
    const ours = json.status < 300 ? decoded(protobuf) : withoutOrder(decoded(protobuf))
    group.case(`${request.path} ${JSON.stringify(request.body)}`, protobufDifference(comparable(theirs), comparable(ours)))
  })
}

/** Every kind the server has by default, in all namespaces: what it made for itself is among them. */
function lists(): string[] {
  return allDescriptors
    .filter((descriptor) => descriptor.verbs.includes("list") && descriptor.group !== "metrics.k8s.io" && /^v\d+$/.test(descriptor.version))
    .map((descriptor) => {
      if (!hasProtobuf(apiVersionOf(descriptor), descriptor.kind)) throw new Error(`${descriptor.kind} has no protobuf table`)
      return pathOf(descriptor)
    })
}

const others = [
  `/apis/apps/v1/namespaces/${namespace}/deployments/rich/scale`,
  `/apis/apps/v1/namespaces/${namespace}/deployments/rich/status`,
  `/api/v1/namespaces/${namespace}/replicationcontrollers/small/scale`,
  `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers/rich`,
  `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/small`,
  `/apis/events.k8s.io/v1/namespaces/${namespace}/events/small`,
  `/api/v1/namespaces/${namespace}/events/micro`,
  `/api/v1/namespaces/${namespace}/pods/none`,
  `/api/v1/namespaces/${namespace}/pods?labelSelector=%3D`,
]

/** Something may have been written between the two: asked once more before it counts. */
async function readTwice(client: ApiClient, request: ApiRequest): Promise<string | undefined> {
  return (await readBoth(client, request)) === undefined ? undefined : readBoth(client, request)
}

async function readBoth(client: ApiClient, request: ApiRequest): Promise<string | undefined> {
  const [json, protobuf] = await Promise.all([client.send(request), client.send({ ...request, accept: protobufContentType })])
  return protobufDifference(withoutListVersion(json.value), withoutListVersion(decoded(protobuf)))
}

/**
 * The server may write leases at any time, and a list's version is that of the whole store.
 * ComponentStatuses are computed at each GET, in the order in which the components answer.
 */
function withoutListVersion(value: unknown): unknown {
  const list = value as { kind?: string; items?: unknown; metadata?: JsonObject }
  if (!Array.isArray(list.items)) return value
  const items = list.kind === "ComponentStatusList" ? [...list.items].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : list.items
  return { ...list, items, metadata: { ...list.metadata, resourceVersion: "" } }
}

function nameOf(item: { metadata?: { name?: string } }): string {
  return item.metadata?.name ?? ""
}

async function writeBoth(client: ApiClient, request: ApiRequest, body: JsonObject): Promise<string | undefined> {
  const encoded = { contentType: protobufContentType, body: encodeProtobuf(body), accept: protobufContentType }
  const [json, protobuf] = [await client.send({ ...request, body }), await client.send({ ...request, ...encoded })]
  if (json.status !== protobuf.status)
    return `the server answers ${json.status} to JSON, ${protobuf.status} to ours: ${JSON.stringify(decoded(protobuf))}`
  return protobufDifference(comparable(json.value), comparable(decoded(protobuf)))
}

export function decoded({ bytes, contentType }: Pick<ApiAnswer, "bytes" | "contentType">): unknown {
  if (!contentType.startsWith(protobufContentType)) return `not protobuf but ${contentType}: ${bytes.toString().slice(0, 200)}`
  try {
    return decodeProtobuf(bytes)
  } catch (error) {
    return `ours cannot read it: ${messageOf(error)}`
  }
}

/** The name is taken by the object that exists; where a name is not free to choose, both requests are refused alike. */
function renamed(sample: SampleObject): SampleObject {
  return { ...sample, metadata: { ...sample.metadata, name: `${sample.metadata.name}-2` } }
}
