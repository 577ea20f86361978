import { expect, test } from "vitest"
import { everyWay, objectIn } from "../testing/server.ts"

const claims = "/api/v1/namespaces/default/persistentvolumeclaims"
const size = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
const other = { apiGroup: null, kind: "PersistentVolumeClaim", name: "o" }
const foreign = { apiGroup: "a.b", kind: "C", name: "o" }

everyWay("what a claim is filled from", (testServer, way) => {
  /** A group that was not sent is null in bytes alone. */
  const told = (source: object | undefined) =>
    source && Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null || way.startsWith("over TLS")))

  test.each([
    ["the old field stands in the new one", { dataSource: other }, { dataSource: other, dataSourceRef: other }],
    ["the new field stands in the old one", { dataSourceRef: foreign }, { dataSource: foreign, dataSourceRef: foreign }],
    ["one of another namespace does not", { dataSourceRef: { ...other, namespace: "n" } }, { dataSourceRef: { ...other, namespace: "n" } }],
    ["what the old field does not know is dropped", { dataSource: foreign }, {}],
  ])("%s (seen)", async (_what, spec, expected) => {
    const api = testServer()
    const made = objectIn(await api.post(claims, { metadata: { name: "c" }, spec: { ...size, ...spec } }), 201)
    const { dataSource, dataSourceRef } = made.spec ?? {}
    const { dataSource: old, dataSourceRef: newer }: { dataSource?: object; dataSourceRef?: object } = expected
    expect({ dataSource, dataSourceRef }).toEqual({ dataSource: told(old), dataSourceRef: told(newer) })
    expect(objectIn(await api.put(`${claims}/c`, { metadata: { name: "c" }, spec: { ...made.spec } })).metadata).toEqual(made.metadata)
  })
})
