import { describe, expect, test } from "vitest"
import { statusIn, testServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } }

const container = (rest: object) => ({ spec: { containers: [{ name: "c", ...rest }] } })

/** What does not fit, and what Go says of it when it is put into its types, and when it is decoded from JSON. */
const rows: readonly (readonly [patch: object, unstructured: string, decoded: string])[] = [
  [
    { metadata: { labels: "invalid" } },
    "cannot restore map from string",
    "json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string",
  ],
  [
    { metadata: { labels: { a: 7 } } },
    "cannot convert int64 to string",
    "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
  ],
  [{ spec: [] }, "cannot restore struct from: slice", "json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec"],
  [
    { spec: { tolerations: {} } },
    "cannot restore slice from map",
    "json: cannot unmarshal object into Go struct field PodSpec.spec.tolerations of type []v1.Toleration",
  ],
  [
    { spec: { hostNetwork: "yes" } },
    "unrecognized type: bool",
    "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool",
  ],
  [
    { spec: { terminationGracePeriodSeconds: 1.5 } },
    "cannot convert float64 to int64",
    "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64",
  ],
  [
    container({ resources: { limits: { cpu: {} } } }),
    "quantities must match the regular expression",
    "quantities must match the regular expression",
  ],
]

describe("a patch that makes no object of the kind", () => {
  test.each(rows)("%j", async (patch, unstructured, decoded) => {
    const api = testServer()
    await api.post(pods, pod)
    const strategic = statusIn(await api.patch(`${pods}/a`, "strategic", patch))
    expect(strategic).toMatchObject({ code: 422, reason: "Invalid" })
    expect(strategic.message).toContain(`: ${unstructured}`)
    expect(statusIn(await api.patch(`${pods}/a`, "merge", patch)).message).toContain(`: ${decoded}`)
  })
})
