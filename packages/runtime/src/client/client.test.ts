import { type KubeObject } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Transport, type TransportRequest, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type Client, createClient } from "./client.ts"
import { applied, pod, scripted, text } from "./testing/scripted.ts"

describe("a call is this request", () => {
  const rows: Record<string, { call: (client: Client) => Promise<unknown>; is: string; body?: unknown; type?: string; query?: object }> = {
    "get by key": { call: (client) => client.get(pods, "default/web"), is: "GET /api/v1/namespaces/default/pods/web" },
    "get by object": { call: (client) => client.get(pods, pod), is: "GET /api/v1/namespaces/default/pods/web" },
    "get cluster-scoped": { call: (client) => client.get(nodes, "n1"), is: "GET /api/v1/nodes/n1" },
    "get a subresource": {
      call: (client) => client.get(pods, pod, { subresource: "status", resourceVersion: "0" }),
      is: "GET /api/v1/namespaces/default/pods/web/status",
      query: { resourceVersion: "0" },
    },
    create: { call: (client) => client.create(pods, pod), is: "POST /api/v1/namespaces/default/pods", body: pod },
    "create as a trial": {
      call: (client) => client.create(pods, pod, { dryRun: true, fieldManager: "me", fieldValidation: "Strict" }),
      is: "POST /api/v1/namespaces/default/pods",
      query: { dryRun: "All", fieldManager: "me", fieldValidation: "Strict" },
    },
    update: { call: (client) => client.update(pods, pod), is: "PUT /api/v1/namespaces/default/pods/web", body: pod },
    updateStatus: { call: (client) => client.updateStatus(pods, pod), is: "PUT /api/v1/namespaces/default/pods/web/status", body: pod },
    "patch (merge)": {
      call: (client) => client.patch(pods, pod, { a: 1 }),
      is: "PATCH /api/v1/namespaces/default/pods/web",
      body: { a: 1 },
      type: "application/merge-patch+json",
    },
    "server-side apply": {
      call: (client) => client.apply(pods, applied, { fieldManager: "me", force: true }),
      is: "PATCH /api/v1/namespaces/default/pods/web",
      body: { apiVersion: "v1", kind: "Pod", ...applied },
      type: "application/apply-patch+yaml",
      query: { fieldManager: "me", force: "true" },
    },
    "server-side apply of a status": {
      call: (client) => client.apply(pods, { ...applied, status: { phase: "Running" } }, { fieldManager: "me", subresource: "status" }),
      is: "PATCH /api/v1/namespaces/default/pods/web/status",
      type: "application/apply-patch+yaml",
      query: { fieldManager: "me" },
    },
    delete: {
      call: (client) => client.delete(pods, pod, { preconditions: { uid: "u1" }, dryRun: true }),
      is: "DELETE /api/v1/namespaces/default/pods/web",
      body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "u1" }, dryRun: ["All"] },
    },
    deleteCollection: {
      call: (client) => client.deleteCollection(pods, { namespace: "default", labelSelector: "a=b", propagationPolicy: "Orphan" }),
      is: "DELETE /api/v1/namespaces/default/pods",
      body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Orphan" },
      query: { labelSelector: "a=b" },
    },
    getScale: { call: (client) => client.getScale(deployments, "d/web"), is: "GET /apis/apps/v1/namespaces/d/deployments/web/scale" },
    "setScale to a number": {
      call: (client) => client.setScale(deployments, "d/web", 3),
      is: "PATCH /apis/apps/v1/namespaces/d/deployments/web/scale",
      body: { spec: { replicas: 3 } },
      type: "application/merge-patch+json",
    },
    "setScale to a scale": {
      call: (client) =>
        client.setScale(deployments, "d/web", { apiVersion: "autoscaling/v1", kind: "Scale", metadata: {}, spec: { replicas: 3 } }),
      is: "PUT /apis/apps/v1/namespaces/d/deployments/web/scale",
      body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: {}, spec: { replicas: 3 } },
    },
    evict: {
      call: (client) => client.evict(pod, { gracePeriodSeconds: 5 }),
      is: "POST /api/v1/namespaces/default/pods/web/eviction",
      body: {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "web", namespace: "default" },
        deleteOptions: { gracePeriodSeconds: 5 },
      },
    },
    bind: {
      call: (client) => client.bind(pod, "n1"),
      is: "POST /api/v1/namespaces/default/pods/web/binding",
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "web", namespace: "default", uid: "u1" },
        target: { apiVersion: "v1", kind: "Node", name: "n1" },
      },
    },
    requestToken: {
      call: (client) => client.requestToken("default/robot", { audiences: ["x"], expirationSeconds: 600 }),
      is: "POST /api/v1/namespaces/default/serviceaccounts/robot/token",
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: {},
        spec: { audiences: ["x"], expirationSeconds: 600 },
      },
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { call, is, body, type, query = {} }) => {
    const { client, requests } = scripted({ kind: "Something" })
    await call(client)
    const [request] = requests
    expect(`${request?.verb} ${request?.path}`).toBe(is)
    expect(request?.query).toEqual(query)
    expect(request?.headers).toMatchObject({ accept: "application/json", "user-agent": "test", ...(type && { "content-type": type }) })
    if (body !== undefined) expect(request?.body).toEqual(valueBody(body))
  })
})

test("delete gives the object that waits for its finalizers, and nothing when it is gone", async () => {
  expect(await scripted(pod).client.delete(pods, pod)).toEqual(pod)
  expect(await scripted({ kind: "Status", apiVersion: "v1", status: "Success" }).client.delete(pods, pod)).toBeUndefined()
})

test("request gives text where the server sends text", async () => {
  expect(await scripted(text(200, "ok", "text/plain")).client.request({ verb: "GET", path: "/healthz" })).toBe("ok")
})

describe("a call that would go wrong is not sent", () => {
  const rows: Record<string, { call: (client: Client) => unknown; says: string }> = {
    "no name: it would be the whole collection": {
      call: (client) => client.delete(pods, { metadata: { namespace: "default" } }),
      says: "expected the name of one of pods, found none; give its key or its metadata",
    },
    "no namespace": {
      call: (client) => client.get(pods, "web"),
      says: 'expected a namespace for pods "web", found none; set metadata.namespace, or use the key "namespace/name"',
    },
    "a new object without a namespace": {
      call: (client) => client.create(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "web" } } as KubeObject as Pod),
      says: 'expected a namespace for a new object of pods, found none; set metadata.namespace, or use the key "namespace/name"',
    },
    "a namespace for what has none": {
      call: (client) => client.get(nodes, "default/n1"),
      says: 'expected no namespace for nodes "n1", which belongs to the whole cluster, found "default"; leave it out',
    },
    "an apply without a fieldManager": {
      call: (client) => client.apply(pods, applied),
      says: "expected a fieldManager for a server-side apply, found none; set fieldManager",
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { call, says }) => {
    const { client, requests } = scripted({})
    await expect((async () => call(client))()).rejects.toMatchObject({ code: "INVALID", message: says })
    expect(requests).toEqual([])
  })
})

test("an invalid call rejects, and never throws synchronously", async () => {
  const { client } = scripted(text(200, "{}", "application/json"))
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }
  const calls: readonly (() => Promise<unknown>)[] = [
    () => client.get(pods, "nope"),
    () => client.create(pods, pod),
    () => client.update(pods, pod),
    () => client.updateStatus(pods, pod),
    () => client.patch(pods, "nope", {}),
    () => client.delete(pods, "nope"),
    () => client.getScale(pods, "nope"),
    () => client.setScale(pods, "nope", 1),
    () => client.evict("nope"),
    () => client.bind("nope", "n"),
    () => client.requestToken("nope"),
  ]
  for (const call of calls) expect(await call().catch((error: unknown) => error)).toMatchObject({ code: "INVALID" })
})

test("there is no rate limit by default: a thousand requests are sent at once", async () => {
  let sent = 0
  const client = createClient(async () => {
    sent++
    return { status: 200, headers: {}, body: valueBody(pod) }
  })
  const asked = Array.from({ length: 1000 }, () => client.get(pods, "default/web"))
  expect(sent).toBe(1000)
  expect(await Promise.all(asked)).toHaveLength(1000)
})

test("every write carries the field manager of the client, unless the call names one", async () => {
  const requests: TransportRequest[] = []
  const transport: Transport = async (request) => {
    requests.push(request)
    return { status: 200, headers: {}, body: valueBody(pod) }
  }
  const client = createClient(transport, { fieldManager: "me" })
  await client.create(pods, pod)
  await client.update(pods, pod)
  await client.updateStatus(pods, pod)
  await client.patch(pods, pod, {})
  await client.apply(pods, applied)
  await client.setScale(deployments, "d/web", 3)
  expect(requests.map(({ query }) => query.fieldManager)).toEqual(Array.from(requests, () => "me"))
  await client.patch(pods, pod, {}, { fieldManager: "other" })
  await client.apply(pods, applied, { fieldManager: "other" })
  expect(requests.slice(-2).map(({ query }) => query.fieldManager)).toEqual(["other", "other"])
})

test("the compiler finds what an applied object does not have", async () => {
  const { client } = scripted({})
  const metadata = { name: "web", namespace: "default" }
  const rejected: Promise<unknown>[] = [
    // @ts-expect-error a field of another name
    client.apply(deployments, { metadata, spec: { replicsa: 1 } }),
    // @ts-expect-error a number, not a text
    client.apply(deployments, { metadata, spec: { replicas: "1" } }),
    // @ts-expect-error metadata is missing, and with it the name
    client.apply(deployments, { spec: {} }),
    // A part of an item of a list, without what the type requires.
    client.apply(deployments, { metadata, spec: { template: { spec: { containers: [{ name: "web", image: "example/web:2" }] } } } }),
  ]
  expect((await Promise.allSettled(rejected)).map(({ status }) => status)).toEqual(rejected.map(() => "rejected"))
})
