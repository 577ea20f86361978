import { expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { authorityKey, emptyRequest } from "../../validation/certificates/testing/issue.ts"

const core = "/api/v1/namespaces/ns"
const path = "/apis/certificates.k8s.io/v1beta1/namespaces/ns/podcertificaterequests"
const enabled = { enabledVersions: ["certificates.k8s.io/v1beta1"] }
const node = (name: string) => ({ name: `system:node:${name}`, groups: ["system:nodes", "system:authenticated"] })
const stubPKCS10Request = Buffer.from(emptyRequest(authorityKey)).toString("base64")

/** Nodes n1 and n2 with a pod each, and a mirror pod on n1. */
async function twoNodes() {
  const api = testServer("in process", { ...enabled, authorizationModes: ["Node", "RBAC"] })
  const uidOf = async (at: string, body: object) => objectIn(await api.post(at, body), 201).metadata.uid ?? ""
  await uidOf("/api/v1/namespaces", { metadata: { name: "ns" } })
  const nodes = {
    n1: await uidOf("/api/v1/nodes", { metadata: { name: "n1" } }),
    n2: await uidOf("/api/v1/nodes", { metadata: { name: "n2" } }),
  }
  const account = await uidOf(`${core}/serviceaccounts`, { metadata: { name: "web" } })
  const pod = (name: string, nodeName: string, annotations = {}) =>
    uidOf(`${core}/pods`, {
      metadata: { name, annotations },
      spec: { nodeName, serviceAccountName: "web", containers: [{ name: "c", image: "i" }] },
    })
  const pods = {
    a: await pod("a", "n1"),
    b: await pod("b", "n2"),
    mirror: await pod("mirror", "n1", { "kubernetes.io/config.mirror": "x" }),
  }
  const spec = (more: object) => ({
    signerName: "example.com/signer",
    podName: "a",
    podUID: pods.a,
    serviceAccountName: "web",
    serviceAccountUID: account,
    nodeName: "n1",
    nodeUID: nodes.n1,
    stubPKCS10Request,
    ...more,
  })
  const create = (who: string, more: object, name = "r") =>
    api.as(node(who))("POST", path, { body: { metadata: { name }, spec: spec(more) } })
  return { api, nodes, pods, create, spec }
}

type Scene = Awaited<ReturnType<typeof twoNodes>>
const forbidden = 'podcertificaterequests.certificates.k8s.io "r" is forbidden: '
const rows: readonly (readonly [what: string, code: number, more: (scene: Scene) => object, message: string])[] = [
  [
    "of another node",
    403,
    ({ nodes }) => ({ nodeName: "n2", nodeUID: nodes.n2 }),
    `${forbidden}PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"`,
  ],
  [
    "of an earlier node of its name",
    500,
    () => ({ nodeUID: "old" }),
    'PodCertificateRequest for pod "ns/a" names node UID "old", inconsistent with the running node ("',
  ],
  [
    "of a pod that there is not",
    500,
    () => ({ podName: "gone" }),
    'while retrieving pod "ns/gone" named in the PodCertificateRequest: pod "gone" not found',
  ],
  [
    "of an earlier pod of its name",
    500,
    () => ({ podUID: "old" }),
    'PodCertificateRequest for pod "ns/a" contains pod UID ("old") which differs from running pod "',
  ],
  [
    "of a pod on another node",
    403,
    ({ pods }) => ({ podName: "b", podUID: pods.b }),
    `${forbidden}pod "ns/b" is not running on node "n1" named in the PodCertificateRequest`,
  ],
  ["of a mirror pod", 403, ({ pods }) => ({ podName: "mirror", podUID: pods.mirror }), `${forbidden}pod "ns/mirror" is a mirror pod`],
  [
    "of another account",
    403,
    () => ({ serviceAccountName: "other" }),
    `${forbidden}PodCertificateRequest for pod "ns/a" contains serviceAccountName ("other") that differs from running pod ("web")`,
  ],
  [
    "of an earlier account of its name",
    500,
    () => ({ serviceAccountUID: "old" }),
    'PodCertificateRequest for pod "ns/a" names service account UID "old", which differs from the running service account ("',
  ],
]

test.each(rows)("a node's request %s is refused with %d", async (_what, code, more, message) => {
  const scene = await twoNodes()
  expect(statusIn(await scene.create("n1", more(scene)))).toMatchObject({ code, message: expect.stringContaining(message) })
})

test("a node requests certificates for its pods, reads its own requests and ends none", async () => {
  const { api, create } = await twoNodes()
  objectIn(await create("n1", {}), 201)
  const [own, other] = [api.as(node("n1")), api.as(node("n2"))]
  expect((await own("GET", `${path}/r`)).status).toBe(200)
  expect(statusIn(await other("GET", `${path}/r`)).message).toContain("no relationship found between node 'n2' and this object")
  expect((await own("GET", path, { query: { fieldSelector: "spec.nodeName=n1" } })).status).toBe(200)
  const select = "can only list/watch podcertificaterequests with nodeName field selector"
  expect(statusIn(await own("GET", path)).message).toContain(select)
  expect(statusIn(await own("GET", path, { query: { fieldSelector: "spec.nodeName=n2" } })).message).toContain(select)
  expect(statusIn(await own("DELETE", `${path}/r`)).message).toContain("nodes may not delete podcertificaterequests")
  const status = "nodes may not access the status subresource of PodCertificateRequests"
  expect(statusIn(await own("GET", `${path}/r/status`)).message).toContain(status)
  await api.ask("DELETE", `${path}/r`)
  expect(statusIn(await own("GET", `${path}/r`)).message).toContain("no relationship found between node 'n1' and this object")
})

test("an administrator requests for any pod, and nodes read trust bundles", async () => {
  const { api, spec } = await twoNodes()
  expect((await api.post(path, { metadata: { name: "free" }, spec: spec({ podName: "gone" }) })).status).toBe(201)
  expect((await api.as(node("n1"))("GET", "/apis/certificates.k8s.io/v1beta1/clustertrustbundles")).status).toBe(200)
})
