import { readFileSync } from "node:fs"
import { join } from "node:path"
import { manager } from "@pilothouse/runtime"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { websiteOperator } from "./controller.ts"
import { type Website, websites } from "./website-kind.ts"

const blog: Website = {
  apiVersion: "example.com/v1",
  kind: "Website",
  metadata: { name: "blog", namespace: "default" },
  spec: { image: "blog:1", replicas: 2 },
}

test("a kind installs itself, and its rules and types hold", async () => {
  await using c = await cluster({ crds: [websites], extra: [websiteOperator] })
  await c.apply(blog)
  await c.until(async () => (await c.client.get(websites, blog)).status?.ready === 2)
  await expect(c.client.patch(websites, blog, { spec: { replicas: 6 } })).rejects.toThrow(
    'Website.example.com "blog" is invalid: spec.replicas: Invalid value: more than 5 replicas need an image of example',
  )
  // @ts-expect-error Property 'replcas' does not exist on type '{ readonly image: string; readonly replicas: number; }'
  expect(blog.spec.replcas).toBeUndefined()
})

test("but for its rules, the kind says what the file says", () => {
  const file = parse(readFileSync(join(import.meta.dirname, "crds", "websites.yaml"), "utf8"))
  const [version] = websites.definition.spec.versions
  const { "x-kubernetes-validations": rules, ...schema } = version?.schema?.openAPIV3Schema ?? {}
  const definition = {
    ...websites.definition,
    spec: { ...websites.definition.spec, versions: [{ ...version, schema: { openAPIV3Schema: schema } }] },
  }
  expect(definition).toEqual(file)
  expect(rules).toHaveLength(1)
})

test("a manager takes the kind", () => {
  expect(withKind().trace.entries()).toEqual([])
})

/** The program of the guide, not run. */
function withKind() {
  return manager({ controllers: [websiteOperator], crds: [websites] })
}
