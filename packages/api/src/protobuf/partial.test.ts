import { expect, test } from "vitest"
import { encodeProtobuf } from "./encode.ts"
import { partialProtobuf } from "./partial.ts"
import { RecentStrings } from "./recent-strings.ts"
import { encodeWatchFrame } from "./testing/watch-frame.ts"

const type = { apiVersion: "v1", kind: "Pod" }
const container = (name: string) => ({ name, image: "web:1", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "b" }] })
const pod = {
  ...type,
  metadata: { name: "web-0", namespace: "default", labels: { app: "web" }, managedFields: [{ manager: "kubectl", operation: "Update" }] },
  spec: { nodeName: "node-1", containers: [container("a"), container("b")], restartPolicy: "Always" },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True", message: "fine" }] },
}

const fields = ["metadata.name", "metadata.labels", "spec.containers.name", "spec.containers.ports", "status.conditions.type"]
const form = partialProtobuf(type, fields)!

test("only the named fields are there, lists by their items, the last of a path whole", () => {
  const { events, rest } = form.events(encodeWatchFrame({ type: "ADDED", object: pod }))
  const ports = [{ containerPort: 80 }]
  expect(events).toEqual([
    {
      type: "ADDED",
      object: {
        ...type,
        metadata: { name: "web-0", labels: { app: "web" } },
        spec: {
          containers: [
            { name: "a", ports },
            { name: "b", ports },
          ],
        },
        status: { conditions: [{ type: "Ready" }] },
      },
    },
  ])
  expect(rest).toHaveLength(0)
})

test("objects of other kinds come whole: why a watch ends, in an event or as an answer", () => {
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "Expired", code: 410 }
  const [event] = form.events(encodeWatchFrame({ type: "ERROR", object: status })).events
  expect(event).toMatchObject({ type: "ERROR", object: { reason: "Expired", code: 410 } })
  expect(form.value(encodeProtobuf(status))).toMatchObject({ reason: "Expired", code: 410 })
})

test.each([["before"], ["after"]])("a list that is named whole stays so, with a field of its items %s it", (order) => {
  const named = ["spec.containers", "spec.containers.ports"]
  const { events } = partialProtobuf(type, order === "after" ? named : named.reverse())!.events(
    encodeWatchFrame({ type: "ADDED", object: pod }),
  )
  expect(events[0]).toMatchObject({ object: { spec: { containers: pod.spec.containers } } })
})

test.each([
  ["spec.continers.ports", 'expected a field of core/v1.PodSpec, found "continers"; correct the path'],
  ["status.conditions.typ", 'expected a field of core/v1.PodCondition, found "typ"; correct the path'],
  ["spec.nodeName.length", 'expected core/v1.PodSpec nodeName to end a path, found "length" below it'],
  ["metadata.labels.app", 'expected meta/v1.ObjectMeta labels to end a path, found "app" below it'],
  ["", 'expected a field of core/v1.Pod, found ""; correct the path'],
])("the path %j leads nowhere", (path, message) => {
  expect(() => partialProtobuf(type, ["metadata.name", path])).toThrow(expect.objectContaining({ code: "INVALID", message }))
})

test("a kind without protobuf has no such form", () => {
  expect(partialProtobuf({ apiVersion: "example.com/v1", kind: "Thing" }, ["metadata.name"])).toBeUndefined()
})

test.each(["", "node-1", "größe", "x".repeat(64), "y".repeat(65)])("the text %j is read as it is, twice and after others", (text) => {
  const strings = new RecentStrings()
  const bytes = new TextEncoder().encode(`<${text}>`)
  const read = () => strings.read(bytes, 1, bytes.length - 1)
  expect(read()).toBe(text)
  const others = Array.from({ length: 5000 }, (_, index) => new TextEncoder().encode(`other-${index}`))
  expect(others.map((other) => strings.read(other, 0, other.length))).toEqual(others.map((_, index) => `other-${index}`))
  expect(read()).toBe(text)
})
