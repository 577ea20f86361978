import { internalError, type KubeObject, ownerRef } from "@pilothouse/api"
import { configMaps, secrets } from "@pilothouse/api/core/v1"
import { type Transport, type TransportResponse, valueBody } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

interface Row {
  readonly name: string
  /** What becomes of the answer to "which resources are there": the core's at /api, the groups' at /apis. */
  answer(path: string, whole: TransportResponse): TransportResponse
  /** Resources that were never listed, though the server has them. */
  readonly notFollowed?: readonly string[]
  /** Whether anything is collected. */
  readonly collects: boolean
}

const refused = { status: 500, headers: {}, body: valueBody(internalError("no idea").status) } as const

interface Group {
  readonly metadata: { readonly name?: string }
  readonly versions: readonly {
    readonly version: string
    readonly resources: readonly { readonly resource: string; verbs: readonly string[] }[]
  }[]
}

/** The aggregated answer, with its groups changed. */
function withGroups(response: TransportResponse, change: (groups: readonly Group[]) => readonly object[]): TransportResponse {
  if (response.body.type !== "bytes") throw new Error(`expected the bytes of a document, found ${response.body.type}`)
  const answer = JSON.parse(new TextDecoder().decode(response.body.bytes)) as { readonly items: readonly Group[] }
  return { ...response, body: valueBody({ ...answer, items: change(answer.items) }) }
}

function onlyDeletes(group: Group, plural: string): Group {
  const versions = group.versions.map((version) => ({
    ...version,
    resources: version.resources.map((one) => (one.resource === plural ? { ...one, verbs: ["delete"] } : one)),
  }))
  return { ...group, versions }
}

const rows: readonly Row[] = [
  {
    name: "no error: what cannot be listed and watched is left out, and a group with an invalid name blocks nothing",
    answer: (path, whole) =>
      withGroups(whole, (groups) => [
        ...groups.map((group) => (path === "/api" ? onlyDeletes(group, "limitranges") : group)),
        ...(path === "/apis" ? [{ ...groups[0]!, metadata: { name: "not//a group" } }] : []),
      ]),
    notFollowed: ["limitranges"],
    collects: true,
  },
  {
    name: "partial discovery failure, includes usable results: a group that says it is stale",
    answer: (path, whole) =>
      withGroups(whole, (groups) => {
        const stale = { metadata: { name: "broken.example.com" }, versions: [{ version: "v1", resources: [], freshness: "Stale" }] }
        return path === "/apis" ? [...groups, stale] : groups
      }),
    collects: true,
  },
  {
    name: "discovery failure, no results: nothing is collected, and nothing is deleted by mistake",
    answer: () => refused,
    collects: false,
  },
]

function answering(row: Row, working: () => boolean, listed: Set<string>): (inner: Transport) => Transport {
  return (inner) => async (request) => {
    const response = await inner(request)
    if (request.verb !== "GET") return response
    if (request.path === "/api" || request.path === "/apis") return working() ? response : row.answer(request.path, response)
    listed.add(request.path.split("/").at(-1) ?? "")
    return response
  }
}

async function ownerAndDependent(running: Cluster): Promise<void> {
  const owner = await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner", namespace: "default" } })
  const metadata = { name: "dependent", namespace: "default", ownerReferences: [ownerRef(owner, configMaps)] }
  await running.apply({ apiVersion: "v1", kind: "Secret", metadata } as KubeObject)
}

describe("GetDeletableResources", () => {
  test.each(rows)("$name", async (row) => {
    let mended = false
    const listed = new Set<string>()
    await using running = await cluster({ controllers: ["garbage-collector"], layer: answering(row, () => mended, listed) })
    await ownerAndDependent(running)
    await running.advance("1m")
    await running.client.delete(configMaps, "default/owner", { propagationPolicy: "Background" })
    await running.advance("2m")
    const left = async () => (await running.list(secrets, { namespace: "default" })).map(({ metadata }) => metadata.name)
    expect(await left()).toEqual(row.collects ? [] : ["dependent"])
    for (const plural of row.notFollowed ?? []) expect(listed).not.toContain(plural)
    if (row.collects) expect(listed).toContain("secrets")
    mended = true
    await running.advance("2m")
    expect(await left()).toEqual([])
    for (const plural of row.notFollowed ?? []) expect(listed).toContain(plural)
  })

  test("nonspecific failure, includes usable results: no answer any more, and what was known before is collected all the same", async () => {
    let working = true
    const row: Row = { name: "", answer: () => refused, collects: true }
    await using running = await cluster({ controllers: ["garbage-collector"], layer: answering(row, () => working, new Set()) })
    await running.advance("1m")
    working = false
    await ownerAndDependent(running)
    await running.advance("2m")
    await running.client.delete(configMaps, "default/owner", { propagationPolicy: "Background" })
    await running.advance("10s")
    expect(await running.list(secrets, { namespace: "default" })).toEqual([])
  })
})
