import { expect, test } from "vitest"
import { hasProtobuf, kindMessage, type Message, messageOf, protobufKinds, Shape, Type } from "./table.ts"

test("every message that a kind reaches is in the tables", () => {
  const reached = new Set<Message>()
  const visit = (message: Message) => {
    if (reached.has(message)) return
    reached.add(message)
    for (const field of message.fields) if (field.type === Type.message) visit(messageOf(field))
  }
  for (const { apiVersion, kind } of protobufKinds()) visit(kindMessage(apiVersion, kind) as Message)
  expect(reached.size).toBeGreaterThan(600)
})

test("a field has its number, JSON name, type and mark", () => {
  const spec = kindMessage("apps/v1", "Deployment")?.byNumber[2]
  expect(spec).toMatchObject({
    number: 2,
    name: "spec",
    type: Type.message,
    shape: Shape.single,
    always: true,
    reference: "apps/v1.DeploymentSpec",
  })
  const fields = messageOf(spec as NonNullable<typeof spec>).byNumber
  expect(fields[1]).toMatchObject({ name: "replicas", type: Type.int32, pointer: true, keepsZero: true })
  expect(fields[3]).toMatchObject({ name: "template", reference: "core/v1.PodTemplateSpec" })
})

test.each([
  ["v1", "Pod", true],
  ["apps/v1", "Deployment", true],
  ["apps/v1", "DeleteOptions", true],
  ["example.com/v1", "DeleteOptions", true],
  ["v1", "Deployment", false],
  ["v1", "Container", false],
  ["v1", "Pod metadata!meta/v1.ObjectMeta", false],
  ["example.com/v1", "Widget", false],
  ["", "", false],
])("%s %s has a protobuf form: %s", (apiVersion, kind, expected) => expect(hasProtobuf(apiVersion, kind)).toBe(expected))
