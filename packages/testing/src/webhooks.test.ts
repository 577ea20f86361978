import type { Descriptor, KubeObject } from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { configMaps } from "@pilothouse/api/core/v1"
import { serveWebhooks, webhook } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } }) as const

const colour = webhook("colour.web.example.com", {
  of: configMaps,
  operations: ["CREATE"],
  mutate(map) {
    map.data = { colour: "blue", ...map.data }
    return map
  },
})
const noRed = webhook("no-red.web.example.com", {
  of: configMaps,
  validate: ({ object }) => (object?.data?.colour === "red" ? "red is taken" : undefined),
})

test("webhooks of a test are called in its process, in virtual time", async () => {
  await using c = await cluster({ webhooks: [colour, noRed], controllers: [] })
  const made = await c.client.create(configMaps, map("a"))
  expect(made.data).toEqual({ colour: "blue" })
  const red = c.client.create(configMaps, { ...map("b"), data: { colour: "red" } })
  await expect(red).rejects.toThrow('admission webhook "no-red.web.example.com" denied the request: red is taken')
})

test("a webhook that hangs is given up after its time", async () => {
  const slow = webhook("slow.web.example.com", { of: configMaps, timeoutSeconds: 3, validate: () => new Promise(() => {}) })
  await using c = await cluster({ webhooks: [slow], controllers: [] })
  const pending = c.client.create(configMaps, map("a")).catch((error: Error) => error.message)
  await c.advance("3s")
  expect(await pending).toContain("context deadline exceeded")
})

describe("the versions of a custom kind", () => {
  interface Box extends KubeObject {
    readonly spec: { readonly size: unknown }
  }
  const boxes = (version: string): Descriptor<Box> => ({ ...customDescriptor, version }) as Descriptor<Box>
  const customDescriptor = { group: "shop.example.com", version: "v1", kind: "Box", plural: "boxes", namespaced: true }
  const sizes = webhook("sizes.shop.example.com", {
    of: boxes("v1"),
    convert(box, { from }) {
      const { size } = box["spec"] as { readonly size: unknown }
      return { ...box, spec: { size: from === "v1" ? String(size) : Number(size) } }
    },
  })
  const version = (name: string, type: string, storage: boolean) => {
    const properties = { spec: { type: "object", properties: { size: { type } } } }
    return { name, served: true, storage, schema: { openAPIV3Schema: { type: "object", properties } } }
  }
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.shop.example.com" },
    spec: {
      group: "shop.example.com",
      scope: "Namespaced",
      names: { kind: "Box", plural: "boxes" },
      versions: [version("v1", "integer", true), version("v2", "string", false)],
    },
  }

  test("are converted in the process of a test", async () => {
    await using c = await cluster({ crds: [definition], webhooks: [sizes], controllers: [] })
    const metadata = { name: "b", namespace: "default" }
    await c.client.create(boxes("v2"), { apiVersion: "shop.example.com/v2", kind: "Box", metadata, spec: { size: "3" } })
    expect((await c.client.get(boxes("v1"), "default/b")).spec).toEqual({ size: 3 })
    expect((await c.list(boxes("v2"))).map(({ spec }) => spec.size)).toEqual(["3"])
    const { spec } = await c.client.get(customResourceDefinitions, "boxes.shop.example.com")
    expect(spec.conversion?.strategy).toBe("Webhook")
  })

  test("are converted over TLS, and the definition trusts the certificate", async () => {
    await using c = await cluster({ time: "real", crds: [definition], controllers: [] })
    const { client, clock } = c
    await using served = await serveWebhooks([sizes], { name: "sizes", client, clock })
    const made = await client.get(customResourceDefinitions, "boxes.shop.example.com")
    expect(made.spec.conversion?.webhook?.clientConfig).toMatchObject({
      url: `${served.url}/sizes.shop.example.com`,
      caBundle: expect.any(String),
    })
    const metadata = { name: "b", namespace: "default" }
    await client.create(boxes("v1"), { apiVersion: "shop.example.com/v1", kind: "Box", metadata, spec: { size: 3 } })
    expect((await client.get(boxes("v2"), "default/b")).spec).toEqual({ size: "3" })
  })

  test("need the definition", async () => {
    await expect(cluster({ webhooks: [sizes], controllers: [] })).rejects.toThrow(
      "expected the definition boxes.shop.example.com before webhook sizes.shop.example.com",
    )
  })
})
