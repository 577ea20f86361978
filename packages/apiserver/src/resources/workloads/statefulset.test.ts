import { expect, test } from "vitest"
import { everyWay, objectIn } from "../../testing/server.ts"

const statefulSets = "/apis/apps/v1/namespaces/default/statefulsets"

const statefulSet = {
  metadata: { name: "b" },
  spec: {
    serviceName: "a",
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    volumeClaimTemplates: [{ spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }],
  },
}

everyWay("stateful sets", (testServer) => {
  test("an update with a claim template without metadata is answered, found by the fuzz with seed 2110447491", async () => {
    const api = testServer()
    objectIn(await api.post(statefulSets, statefulSet), 201)
    const changed = { ...statefulSet, spec: { ...statefulSet.spec, replicas: 2 } }
    expect(objectIn(await api.put(`${statefulSets}/b`, changed)).spec).toMatchObject({ replicas: 2 })
  })
})
