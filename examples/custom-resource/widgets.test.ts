import { createClient, plan } from "@pilothouse/runtime"
import { valueBody } from "@pilothouse/seams"
import { expect, expectTypeOf, test } from "vitest"
import { type Widget, widgets } from "./widgets.ts"

const widget: Widget = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "one", namespace: "default" },
  spec: { size: 3 },
}

test("a kind of one's own is read and written as any other, with its type", async () => {
  const asked: string[] = []
  const client = createClient(async ({ verb, path }) => {
    asked.push(`${verb} ${path}`)
    const list = { apiVersion: "example.com/v1", kind: "WidgetList", metadata: { resourceVersion: "7" }, items: [widget] }
    return { status: 200, headers: {}, body: valueBody(path.endsWith("widgets") ? list : widget) }
  })
  const { items } = await client.list(widgets)
  expectTypeOf(items).toEqualTypeOf<readonly Widget[]>()
  expect(items.map(({ spec }) => spec.size)).toEqual([3])
  await client.updateStatus(widgets, { ...widget, status: { ready: true } })
  expect(asked).toEqual(["GET /apis/example.com/v1/widgets", "PUT /apis/example.com/v1/namespaces/default/widgets/one/status"])
})

test("a plan takes its patches, and the compiler what is none", () => {
  // @ts-expect-error: a size is a number.
  plan().patch(widget, { spec: { size: "big" } }, "it is too small")
  expect(plan().patch(widget, { spec: { size: 4 } }, "it is too small").steps[0]?.operations).toHaveLength(1)
})
