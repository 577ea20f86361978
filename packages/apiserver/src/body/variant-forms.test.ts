import { canonicalQuantity } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import { expect, test } from "vitest"
import { coerceToSchema } from "./coerce-to-schema.ts"
import { isVariantQuantity, type VariantForm } from "./variant-forms.ts"

// What Go's Quantity keeps beside its value: the text where that is canonical, none for whole multiples of eight binary units, a decimal for fractions.
test.each([
  ["1Ti", false],
  ["1024Gi", true],
  ["16Gi", false],
  ["16384Mi", false],
  ["2048Mi", true],
  ["1.5Gi", true],
  ["100m", false],
  ["1000m", true],
  ["0.5", true],
  ["1e3", false],
  ["1000", true],
  [" 1", false],
])("%j is kept in another form than its canonical text: %s", (text, expected) => {
  expect(isVariantQuantity(text.trim(), canonicalQuantity(text))).toBe(expected)
})

test("a body is read with the places of empty lists, maps and bytes that are left out, and of quantities", () => {
  const webhooks = [{ name: "a", clientConfig: { caBundle: "" }, rules: [], namespaceSelector: { matchLabels: {} }, matchConditions: null }]
  const schema = schemaOf({ group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingWebhookConfiguration" })!
  const variants: VariantForm[] = []
  coerceToSchema({ metadata: { labels: {} }, webhooks }, schema, { unknownFields: [], variants })
  expect(variants.map(({ at, step }) => at.stepsTo(step).join("."))).toEqual([
    "metadata.labels",
    "webhooks.0.clientConfig.caBundle",
    "webhooks.0.rules",
    "webhooks.0.namespaceSelector.matchLabels",
  ])
})
