import { decodeWatchFrames } from "@pilothouse/api/protobuf"
import type { ApiClient } from "../api-client.ts"
import type { Group } from "../tally.ts"
import { eachConcurrently } from "./each.ts"
import { namespace } from "./live-objects.ts"
import { protobufDifference } from "./protobuf-difference.ts"

const paths = [
  `/api/v1/namespaces/${namespace}/pods`,
  `/apis/apps/v1/namespaces/${namespace}/deployments`,
  "/api/v1/nodes",
  `/api/v1/namespaces/${namespace}/services`,
]

/** A watch of a second shows everything there is, in frames of bytes and in lines of JSON. */
export async function judgeWatches(group: Group, client: ApiClient): Promise<void> {
  await eachConcurrently(paths, async (path) => {
    const watch = { verb: "GET", path, query: { watch: "true", timeoutSeconds: "1" } } as const
    const json = await client.send(watch)
    const protobuf = await client.send({ ...watch, accept: "application/vnd.kubernetes.protobuf;stream=watch" })
    const lines = json.bytes.toString().split("\n").filter(Boolean)
    group.case(path, protobufDifference(sorted(lines.map((line) => JSON.parse(line))), sorted(framesIn(protobuf.bytes))))
  })
}

function framesIn(bytes: Uint8Array): readonly unknown[] {
  const { events, rest } = decodeWatchFrames(bytes)
  if (rest.length > 0) throw new Error(`${rest.length} bytes are left over after ${events.length} watch events`)
  return events
}

/** What is there already comes in any order. */
function sorted(events: readonly unknown[]): unknown[] {
  return events.toSorted((a, b) => (JSON.stringify(nameOf(a)) < JSON.stringify(nameOf(b)) ? -1 : 1))
}

function nameOf(event: unknown): unknown {
  return (event as { object?: { metadata?: { name?: unknown } } }).object?.metadata?.name
}
