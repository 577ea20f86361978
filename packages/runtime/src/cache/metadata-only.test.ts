import { secrets } from "@pilothouse/api/core/v1"
import { jsonRoundTrip, seededRandom, silentLog, type Transport, type VirtualClock } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import type { Change } from "./change.ts"
import { Informers } from "./informers.ts"

function secret(name: string, labels: Record<string, string> = {}) {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", labels }, data: { key: "c2VjcmV0" } } as const
}

/** A running informer of metadata, and what was asked for it. */
async function follow(server: Cluster, { streams, deaf = false }: { streams: boolean; deaf?: boolean }) {
  const accepts: string[] = []
  const wire = jsonRoundTrip(server.transport)
  const transport: Transport = (request) => {
    accepts.push(`${request.query.watch ? "watch" : "list"} ${request.headers.accept}`)
    return wire(deaf ? { ...request, headers: { ...request.headers, accept: "application/json" } } : request)
  }
  const clock = server.clock as VirtualClock
  const informers = new Informers({ client: createClient(transport), clock, random: seededRandom(1), log: silentLog, streams })
  const informer = informers.of(secrets, { metadataOnly: true, namespace: "default" })
  const changes: Change[] = []
  informer.addHandler((change) => changes.push(change))
  const stopping = new AbortController()
  const done = informers.run(stopping.signal)
  await clock.settle()
  return { informer, changes, accepts, stop: () => (stopping.abort(), clock.run(done)) }
}

const list = "list application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
const watch = "watch application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

test.each([
  { how: "pages and a watch", streams: false, deaf: false, accepts: [list, watch] },
  { how: "one stream", streams: true, deaf: false, accepts: [watch] },
  { how: "pages of a server that sends whole objects all the same", streams: false, deaf: true, accepts: [list, watch] },
  { how: "the stream of a server that sends whole objects all the same", streams: true, deaf: true, accepts: [watch] },
])("metadata only, by $how: nothing else is kept, and the objects say what they are", async ({ streams, deaf, accepts }) => {
  await using server = await cluster({ nodes: 0, controllers: [] })
  await server.apply(secret("a"))
  const followed = await follow(server, { streams, deaf })
  await server.apply(secret("a", { changed: "yes" }))
  await server.client.delete(secrets, "default/a")
  await server.settled()
  expect(followed.accepts).toEqual(accepts)
  expect(followed.changes.map(({ type }) => type)).toEqual(["added", "updated", "deleted"])
  for (const { object } of followed.changes) {
    expect(Object.keys(object).sort()).toEqual(["apiVersion", "kind", "metadata"])
    expect(object).toMatchObject({ apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "default" } })
  }
  await followed.stop()
})
