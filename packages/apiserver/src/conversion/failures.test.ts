import { PilothouseError } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { objectIn, said, statusIn } from "../testing/server.ts"
import { type Convert, converted, type Endpoint, endpoint, endpointServer, pathOf } from "./testing/endpoints.ts"

const about = "conversion webhook for example.com/v1, Kind=Endpoint"
const post = `${about} failed: Post "https://hook/convert?timeout=30s"`

/** An answer with other objects. */
function objects(change: (object: Endpoint) => unknown): Convert {
  return (review) => {
    const answer = converted(review) as { response: { convertedObjects: Endpoint[] } }
    return { ...answer, response: { ...answer.response, convertedObjects: answer.response.convertedObjects.map(change) } }
  }
}

const metadata = (more: object) => objects((object) => ({ ...object, metadata: { ...object.metadata, ...more } }))
const response = (more: object | null): Convert => {
  return (review) => ({ ...converted(review), response: more && { uid: review.request.uid, ...more } })
}
const bytes = (text: string, status = 200, type = "application/json"): Convert => {
  return () => ({
    status,
    headers: { "content-type": type },
    body: { type: "bytes", bytes: new TextEncoder().encode(text), contentType: type },
  })
}

/** Each refused by a 500 without a reason, and counted by its type of failure. */
const failures: readonly (readonly [string, Convert, string, string])[] = [
  ["no connection", () => Promise.reject(new PilothouseError("CONNECTION_LOST", "EOF")), `${post}: EOF`, "call"],
  [
    "another status",
    bytes("gone", 500, "text/plain"),
    `${about} failed: an error on the server ("gone") has prevented the request from succeeding`,
    "call",
  ],
  ["no JSON", bytes('{"kind":'), `${about} failed: couldn't get version/kind; json parse error: unexpected end of JSON input`, "call"],
  [
    "another kind",
    (review) => ({ ...converted(review), kind: "AdmissionReview" }),
    `${about} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=AdmissionReview`,
    "malformed_response",
  ],
  ["no response", response(null), `${about} failed: no response provided`, "malformed_response"],
  ["a refusal", response({ result: { status: "Failure", message: "not today" } }), `${about} failed: not today`, "malformed_response"],
  [
    "a refusal without words",
    response({ result: { status: "Failure" } }),
    `${about} failed: response.result.status was 'Failure', not 'Success'`,
    "malformed_response",
  ],
  [
    "too few objects",
    response({ result: { status: "Success" }, convertedObjects: [] }),
    `${about} returned 0 objects, expected 1`,
    "partial_response",
  ],
  [
    "another version",
    objects((object) => ({ ...object, apiVersion: "example.com/v3" })),
    `${about} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)`,
    "invalid_converted_object",
  ],
  [
    "another kind of object",
    objects((object) => ({ ...object, kind: "Point" })),
    `${about} returned invalid object at index 0: invalid kind (expected Endpoint, received Point)`,
    "invalid_converted_object",
  ],
  [
    "an object without a kind",
    objects(() => ({ apiVersion: "example.com/v2" })),
    `Object 'Kind' is missing in '{"apiVersion":"example.com/v2"}'`,
    "invalid_converted_object",
  ],
  [
    "an object of 120,000 values",
    objects((object) => ({ ...object, spec: Array.from({ length: 120_000 }, () => 0) })),
    "limit of fields and list items is 100000",
    "invalid_converted_object",
  ],
  ["400,000 values", bytes(`[${"0,".repeat(400_000)}0]`), `${about} failed: limit of fields and list items is 300000`, "call"],
  [
    "another name",
    metadata({ name: "y" }),
    `${about} returned invalid object: must have the same name: x != y`,
    "invalid_converted_object",
  ],
  [
    "another namespace",
    metadata({ namespace: "kube-system" }),
    `${about} returned invalid object: must have the same namespace: default != kube-system`,
    "invalid_converted_object",
  ],
  [
    "labels of another type",
    metadata({ labels: 5 }),
    `${about} returned invalid metadata: invalid metadata.labels of type int64 in converted object`,
    "invalid_converted_object",
  ],
  [
    "a label that is no text",
    metadata({ labels: { a: true } }),
    `${about} returned invalid metadata: metadata.labels[a] must be a string, but is bool in converted object`,
    "invalid_converted_object",
  ],
]

describe("a conversion webhook that answers with", () => {
  test.each(failures)("%s fails the request", async (_name, convert, message, type) => {
    const { api, hook } = await endpointServer()
    objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
    hook.convert = convert
    const status = statusIn(await api.get(pathOf("v2", "x")))
    expect(status).toMatchObject({ code: 500, message })
    expect(status.reason ?? "").toBe("")
    const failure_type = `conversion_webhook_${type}_failure`
    expect(api.metrics.value("apiserver_conversion_webhook_request_total", { result: "failure", failure_type })).toBe(1)
    const versions = 'crd_name="endpoints.example.com",from_version="v1",succeeded="false",to_version="v2"'
    expect(api.metrics.text()).toContain(`apiserver_crd_conversion_webhook_duration_seconds_count{${versions}} 1`)
    expect(objectIn(await api.get(pathOf("v1", "x"))).spec).toEqual({ hostPort: "a:80" })
  })
})

test("a webhook that hangs is given up after 30 seconds", async () => {
  const { api, hook } = await endpointServer()
  objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  hook.convert = () => new Promise(() => {})
  const pending = api.get(pathOf("v2", "x"))
  await api.clock.advance(30_000)
  expect(statusIn(await pending).message).toBe(`${post}: context deadline exceeded`)
})

test("of metadata labels and annotations may change; the rest is the original's", async () => {
  const { api, hook } = await endpointServer()
  const made = objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  hook.convert = metadata({ labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["e/f"], generation: 7, resourceVersion: "1" })
  const read = objectIn(await api.get(pathOf("v2", "x")))
  expect(read.metadata).toEqual({ ...made.metadata, labels: { a: "b" }, annotations: { c: "d" } })
})

test("v1beta1 checks neither kind nor uid", async () => {
  const { api, hook } = await endpointServer({ reviewVersions: ["v2", "v1beta1"] })
  objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  hook.convert = (review) => ({ response: { ...(converted(review) as { response: object }).response, uid: "other" } })
  expect(objectIn(await api.get(pathOf("v2", "x"))).spec).toEqual({ host: "a", port: "80" })
  expect(hook.reviews[0]!.apiVersion).toBe("apiextensions.k8s.io/v1beta1")
})

test("an answer of another request is refused", async () => {
  const { api, hook } = await endpointServer()
  objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  hook.convert = response({ uid: "other", result: { status: "Success" } })
  expect(statusIn(await api.get(pathOf("v2", "x"))).message).toMatch(
    /^conversion webhook .* failed: expected response.uid="[-0-9a-f]+", got "other"$/,
  )
})

test("the object of a list that is wrong is named by its index", async () => {
  const { api, hook } = await endpointServer()
  for (const name of ["x", "y"]) objectIn(await api.post(pathOf("v1"), endpoint(name)), 201)
  hook.convert = objects((object) => (object.metadata.name === "y" ? { ...object, metadata: { name: "y" } } : object))
  const { message } = statusIn(await api.get(pathOf("v2")))
  expect(message).toBe(`${about} returned invalid converted object at index 1: must have the same namespace: default != `)
})

test("a watch whose objects cannot be converted ends with the reason, and others go on", async () => {
  const { api, hook } = await endpointServer()
  const [first, second] = [await api.watch(pathOf("v2")), await api.watch(pathOf("v1"))]
  hook.convert = response({ result: { status: "Failure", message: "not today" } })
  objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  const events = await first.read()
  expect(said(events)).toEqual(["ERROR undefined"])
  expect(events[0]!.object).toMatchObject({ code: 500, message: `${about} failed: not today` })
  expect(said(await second.read())).toEqual(["ADDED x"])
  hook.convert = converted
  const again = await api.watch(pathOf("v2"), { resourceVersion: "1" })
  expect(said(await again.read())).toEqual(["ADDED x"])
})

test("a bookmark does not overtake a change that is being converted", async () => {
  const { api, hook } = await endpointServer()
  const watch = await api.watch(pathOf("v2"), { allowWatchBookmarks: "true" })
  const { promise, resolve } = Promise.withResolvers<void>()
  hook.convert = async (review) => {
    await promise
    return converted(review)
  }
  await api.clock.advance(50_000)
  await watch.read()
  objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  await api.clock.advance(15_000)
  expect(said(await watch.read())).toEqual([])
  resolve()
  expect(said(await watch.read())).toEqual(["ADDED x", "BOOKMARK"])
})

test("an update that cannot be converted is not stored", async () => {
  const { api, hook } = await endpointServer()
  const made = objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
  hook.convert = (review) => (review.request.desiredAPIVersion === "example.com/v1" ? response(null)(review) : converted(review))
  const refused = statusIn(await api.patch(pathOf("v2", "x"), "merge", { spec: { host: "b" } }))
  expect(refused.message).toBe("conversion webhook for example.com/v2, Kind=Endpoint failed: no response provided")
  expect(objectIn(await api.get(pathOf("v1", "x"))).metadata.resourceVersion).toBe(made.metadata.resourceVersion)
})
