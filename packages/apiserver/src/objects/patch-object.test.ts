import { describe, expect, test } from "vitest"
import { widget, widgets } from "../customresources/testing/definitions.ts"
import { objectIn, statusIn, testServer } from "../testing/server.ts"

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

const patchBytes = (path: string, type: string, text: string) =>
  ({
    verb: "PATCH",
    path,
    query: {},
    headers: {},
    body: { type: "bytes", bytes: new TextEncoder().encode(text), contentType: `application/${type}-patch+json` },
  }) as const

describe("a patch that cannot be read", () => {
  test.each([
    ["merge", "{"],
    ["merge", "[]"],
    ["strategic-merge", "{"],
    ["json", "{"],
  ])("as %s, %s, is refused after what is not there", async (type, text) => {
    const api = testServer()
    expect(statusIn(await api.transport(patchBytes(`${pods}/a`, type, text)))).toMatchObject({ code: 404 })
    await api.post(pods, pod)
    expect(statusIn(await api.transport(patchBytes(`${pods}/a`, type, text)))).toMatchObject({ code: 400, reason: "BadRequest" })
  })
})

test("a strategic patch cannot say another kind, nor anything by null", async () => {
  const api = testServer()
  await api.post(pods, pod)
  const patch = { apiVersion: "v9", kind: "Other", metadata: { labels: { a: "b" } } }
  const patched = objectIn(await api.patch(`${pods}/a`, "strategic", patch))
  expect(patched).toMatchObject({ apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" } } })
  const { resourceVersion } = objectIn(await api.transport(patchBytes(`${pods}/a`, "strategic-merge", "null"))).metadata
  expect(resourceVersion).toBe(patched.metadata.resourceVersion)
})

describe("a patch of a custom resource that says another kind", () => {
  const path = "/apis/example.com/v1/namespaces/default/widgets"
  const served = async () => {
    const api = testServer()
    await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets())
    await api.clock.settle()
    objectIn(await api.post(path, widget("a")), 201)
    return api
  }

  test.each([
    [{ apiVersion: "v9" }, 'Widget "a" is invalid: apiVersion: Invalid value: "v9": must be example.com/v1'],
    [{ apiVersion: "o/v1" }, 'Widget.o "a" is invalid: apiVersion: Invalid value: "o/v1": must be example.com/v1'],
    [{ kind: "X" }, 'X.example.com "a" is invalid: kind: Invalid value: "X": must be Widget'],
    [
      { apiVersion: "o/v1", kind: "X" },
      'X.o "a" is invalid: [kind: Invalid value: "X": must be Widget, apiVersion: Invalid value: "o/v1": must be example.com/v1]',
    ],
  ])("%j is invalid, and without effect on the status", async (patch, message) => {
    const api = await served()
    expect(statusIn(await api.patch(`${path}/a`, "merge", patch))).toMatchObject({ code: 422, message })
    expect(objectIn(await api.patch(`${path}/a/status`, "merge", patch))).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget" })
  })
})
