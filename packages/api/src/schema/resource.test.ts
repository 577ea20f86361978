import { expect, expectTypeOf, test } from "vitest"
import type { KubeObject } from "../meta/object.ts"
import { apiVersionOf, type ObjectOf, pathOf } from "./descriptor.ts"
import { resource } from "./resource.ts"

interface Widget extends KubeObject {
  readonly spec: { readonly size: number }
}

const widget = { group: "example.com", version: "v1", kind: "Widget" }

test("group, version and kind are enough", () => {
  const widgets = resource<Widget>(widget)
  expect(widgets).toMatchObject({ plural: "widgets", singular: "widget", namespaced: true, subresources: [{ name: "status" }] })
  expect(apiVersionOf(widgets)).toBe("example.com/v1")
  expect(pathOf(widgets, { namespace: "default", name: "one" })).toBe("/apis/example.com/v1/namespaces/default/widgets/one")
  expectTypeOf<ObjectOf<typeof widgets>>().toEqualTypeOf<Widget>()
})

test("options replace the defaults", () => {
  expect(resource<Widget>({ ...widget, plural: "widgetry", namespaced: false })).toMatchObject({ plural: "widgetry", namespaced: false })
})

test.each([
  ["Widget", "widgets"],
  ["NetworkPolicy", "networkpolicies"],
  ["Gateway", "gateways"],
  ["IngressClass", "ingressclasses"],
  ["Box", "boxes"],
  ["Branch", "branches"],
])("the plural of %s is %s", (kind, plural) => {
  expect(resource<Widget>({ ...widget, kind }).plural).toBe(plural)
})

test("a resource without a kind is refused", () => {
  expect(() => resource<Widget>({ ...widget, kind: "" })).toThrow('expected the kind of a resource, found ""')
})
