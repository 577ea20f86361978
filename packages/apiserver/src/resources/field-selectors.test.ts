import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const pods = `${core}/pods`
const involved = { kind: "Pod", name: "p", namespace: "default", uid: "u", apiVersion: "v1", resourceVersion: "7", fieldPath: "f" }

async function fill(api: TestServer): Promise<void> {
  const spec = { nodeName: "n", hostNetwork: true, restartPolicy: "Never", schedulerName: "s", serviceAccountName: "a" }
  await api.post(pods, { metadata: { name: "p" }, spec: { ...spec, containers: [{ name: "c", image: "i" }] } })
  await api.patch(`${pods}/p/status`, "merge", { status: { phase: "Running", podIP: "10.0.0.9", nominatedNodeName: "m" } })
  await api.post("/api/v1/nodes", { metadata: { name: "n" }, spec: { unschedulable: true } })
  await api.post(`${core}/secrets`, { metadata: { name: "s" }, type: "a/b" })
  await api.post(`${core}/services`, { metadata: { name: "s" }, spec: { type: "NodePort", clusterIP: "10.96.0.9", ports: [{ port: 1 }] } })
  await api.post(`${core}/events`, {
    metadata: { name: "e" },
    involvedObject: involved,
    reason: "R",
    type: "Normal",
    source: { component: "k" },
  })
}

/** What of each kind can be asked for by its value; every row finds one object. */
const rows: readonly (readonly [path: string, fields: string])[] = [
  [pods, "metadata.name=p,metadata.namespace=default"],
  ...[
    "spec.nodeName=n",
    "spec.restartPolicy=Never",
    "spec.schedulerName=s",
    "spec.serviceAccountName=a",
    "spec.hostNetwork=true",
    "status.phase=Running",
    "status.podIP=10.0.0.9",
    "status.podIPs=10.0.0.9",
    "status.nominatedNodeName=m",
    "status.phase!=Succeeded,status.phase!=Failed",
  ].map((fields) => [pods, fields] as const),
  ["/api/v1/nodes", "spec.unschedulable=true"],
  ["/api/v1/namespaces", "status.phase=Active,metadata.name=default"],
  [`${core}/secrets`, "type=a/b"],
  [`${core}/services`, "spec.type=NodePort,spec.clusterIP=10.96.0.9"],
  ...Object.entries(involved).map(([name, value]) => [`${core}/events`, `involvedObject.${name}=${value}`] as const),
  [`${core}/events`, "reason=R,type=Normal,source=k"],
  ["/apis/events.k8s.io/v1/events", "regarding.name=p,regarding.kind=Pod,reason=R"],
]

everyWay("field selectors", (testServer) => {
  test("every field that upstream knows finds what has it", async () => {
    const api = testServer()
    await fill(api)
    for (const [path, fieldSelector] of rows) {
      expect([fieldSelector, objectIn(await api.get(path, { fieldSelector })).items?.length]).toEqual([fieldSelector, 1])
    }
  })

  test.each([
    ["pods", "spec.image=x", "field label not supported: spec.image"],
    ["configmaps", "data=x", '"data" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ])("%s by %s is a 400 (seen)", async (plural, fieldSelector, words) => {
    const answer = await testServer().get(`${core}/${plural}`, { fieldSelector })
    expect(statusIn(answer)).toMatchObject({ code: 400, message: expect.stringContaining(words) })
  })
})
