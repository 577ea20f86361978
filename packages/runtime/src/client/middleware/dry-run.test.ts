import { isNotFound } from "@pilothouse/api"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { namespaces, type Pod, pods } from "@pilothouse/api/core/v1"
import { seededRandom, type Transport, VirtualClock, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type Client, createClient } from "../client.ts"
import { dryRun, type RecordedWrite } from "./dry-run.ts"

const path = "/apis/apps/v1/namespaces/default/deployments/web"
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", resourceVersion: "7", labels: { a: "1" } },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [
          { name: "a", image: "a:1" },
          { name: "b", image: "b:1" },
        ],
      },
    },
  },
} as unknown as Deployment

function scene(): { client: Client; writes: readonly RecordedWrite[]; sent: readonly string[] } {
  const writes: RecordedWrite[] = []
  const sent: string[] = []
  const server: Transport = async (request) => {
    sent.push(`${request.verb} ${request.path}`)
    if (request.path === path) return { status: 200, headers: {}, body: valueBody(web) }
    return { status: 404, headers: {}, body: valueBody({ kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404 }) }
  }
  const options = { clock: new VirtualClock(), random: seededRandom(1), record: (write: RecordedWrite) => writes.push(write) }
  return { client: createClient(dryRun(server, options)), writes, sent }
}

const pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-", namespace: "default" } } as Pod

test("a create gets what the server would add, but no resourceVersion", async () => {
  const { client, writes, sent } = scene()
  const made = await client.create(pods, pod)
  expect(made.metadata).toEqual({
    generateName: "web-",
    namespace: "default",
    name: expect.stringMatching(/^web-[a-z0-9]{5}$/),
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    generation: 1,
    creationTimestamp: "2026-01-05T09:00:00Z",
  })
  expect(writes).toEqual([{ verb: "POST", path: "/api/v1/namespaces/default/pods", query: {}, contentType: undefined, body: pod }])
  expect(sent).toEqual([])
})

test("an update comes back as it is", async () => {
  expect(await scene().client.update(deployments, web)).toEqual(web)
})

describe("a patch is applied to what is there", () => {
  test.each([
    ["merge", { metadata: { labels: { a: null, b: "2" } } }, { metadata: { ...web.metadata, labels: { b: "2" } } }],
    ["json", [{ op: "replace", path: "/spec/replicas", value: 5 }], { spec: { ...web.spec, replicas: 5 } }],
    [
      "strategic",
      { spec: { template: { spec: { containers: [{ name: "b", image: "b:2" }] } } } },
      {
        spec: {
          template: {
            spec: {
              containers: [
                { name: "a", image: "a:1" },
                { name: "b", image: "b:2" },
              ],
            },
          },
        },
      },
    ],
  ] as const)("%s", async (type, patch, expected) => {
    const { client, writes, sent } = scene()
    expect(await client.patch(deployments, web, patch, { type, subresource: "status" })).toMatchObject(expected)
    expect(sent).toEqual([`GET ${path}`])
    expect(writes[0]).toMatchObject({ verb: "PATCH", path: `${path}/status`, body: patch })
  })

  test("one that does not apply is refused", async () => {
    const patch = [{ op: "test", path: "/spec/replicas", value: 9 }]
    await expect(scene().client.patch(deployments, web, patch, { type: "json" })).rejects.toMatchObject({ code: "STATUS" })
  })

  test("one of what is not there is refused; an apply makes it", async () => {
    const { client } = scene()
    const failure = await client.patch(pods, "default/none", {}).catch((error: unknown) => error)
    expect(isNotFound(failure)).toBe(true)
    const applied = { apiVersion: "v1", kind: "Pod", metadata: { name: "none", namespace: "default" } } as const
    expect(await client.apply(pods, applied, { fieldManager: "me" })).toEqual(applied)
  })
})

test("a delete says whether there was something", async () => {
  const { client, sent } = scene()
  expect(await client.delete(deployments, web)).toBeUndefined()
  expect(isNotFound(await client.delete(pods, "default/none").catch((error: unknown) => error))).toBe(true)
  expect(sent).toEqual([`GET ${path}`, "GET /api/v1/namespaces/default/pods/none"])
})

test("evictions, bindings, tokens, collections and namespaces are recorded too", async () => {
  const { client, writes, sent } = scene()
  await client.evict("default/web")
  await client.bind("default/web", "n1")
  await client.requestToken("default/robot")
  await client.deleteCollection(pods, { namespace: "default" })
  await client.update(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } }, { subresource: "finalize" })
  expect(writes.map(({ verb, path }) => `${verb} ${path}`)).toEqual([
    "POST /api/v1/namespaces/default/pods/web/eviction",
    "POST /api/v1/namespaces/default/pods/web/binding",
    "POST /api/v1/namespaces/default/serviceaccounts/robot/token",
    "DELETE /api/v1/namespaces/default/pods",
    "PUT /api/v1/namespaces/x/finalize",
  ])
  expect(sent).toEqual([])
})
